import { apiRuleSet } from '../model-api/api-rules.ts';
import type { RuleSet } from '../rule-set.ts';
import { valueAt } from '../../base/is-object.ts';
import { judgeResponse } from '../../protocol/openai-responses/judge-output.ts';
import { ResponseReader } from '../../protocol/openai-responses/read-response.ts';
import { describe } from '../model-api/judge-answer.ts';
import { withMembers } from '../talk.ts';
import { eventRules, type TalkRule } from '../talk-rules.ts';
import { type Dialect, errorFault } from '../model-api/dialect.ts';
import { contentRule } from '../model-api/observe-notes.ts';
import { endOf, responseEventRules, textIn } from './response-events.ts';

const section = 'Streaming events';
const ofEvents = eventRules(section);

/** Rules of the events of a response and their order, and of the links between responses. */
const responseRules: readonly TalkRule[] = [
  contentRule(ofEvents, () => new ResponseReader()),
  ...responseEventRules.map(({ id, rule, expected, look }) => ofEvents(id, rule, expected, look)),
  {
    id: 'previous-unknown',
    section: 'Create a model response, previous_response_id',
    rule: 'A previous response that does not exist is refused.',
    expected: 'a status from 400 to 499',
    try: async (talk) => {
      const change = withMembers({ previous_response_id: `resp_${talk.subject.newCode()}` });
      const { answer } = await talk.sayAnew('Hello.', { change });
      return { conforms: answer.status >= 400 && answer.status <= 499, seen: describe(answer) };
    },
  },
];

/** OpenAI's responses. */
const openaiResponses: Dialect = {
  description: 'OpenAI API reference',
  sections: {
    request: 'Create a model response',
    reply: 'The response object',
    stream: section,
    errors: 'Error codes',
    conversation: 'Create a model response, previous_response_id',
  },
  kind: { member: 'object', value: 'response' },
  created: 'created_at',
  judge: (reply) => judgeResponse({ ...reply, id: 'any', status: 'completed' }),
  roleOf: (reply) => {
    const { output } = reply;
    const items: readonly unknown[] = Array.isArray(output) ? output : [];
    return valueAt(
      items.find((item) => valueAt(item, ['type']) === 'message'),
      ['role'],
    );
  },
  finish: {
    member: 'status',
    known: ['completed', 'incomplete'],
    cutOff: 'incomplete',
    of: (reply) => reply['status'],
  },
  usage: { input: 'input_tokens', output: 'output_tokens', total: 'total_tokens' },
  required: ['model', 'input'],
  // The minimum that the API accepts.
  limits: [{ max_output_tokens: 16 }],
  errorFault,
  stream: {
    isTyped: true,
    textOf: textIn,
    finishOf: (events) => valueAt(endOf(events), ['response', 'status']),
    usageOf: (events) => valueAt(endOf(events), ['response', 'usage']),
    usageSource: 'The response at the end of a stream',
  },
};

export const ruleSet: RuleSet = apiRuleSet(openaiResponses, responseRules);
