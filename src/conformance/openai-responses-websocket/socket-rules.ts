import { isObject } from '../../base/is-object.ts';
import { portRuleSet } from '../any-protocol/port-rules.ts';
import type { PortDescription } from '../any-protocol/port-description.ts';
import { withMembers, type Talk } from '../talk.ts';
import { eventRules, type TalkRule } from '../talk-rules.ts';
import { isText, show } from '../answer.ts';
import { observeCounts } from '../model-api/whole-rules.ts';
import { endOf, isEnd, responseEventRules } from '../openai-responses/response-events.ts';
import { Skipped, type Observation } from '../rule.ts';
import type { RuleSet } from '../rule-set.ts';

const section = 'Streaming events';
const ofEvents = eventRules(section);
const continuation = 'WebSocket mode, How continuation works';

/** The others are conditions of `stream-readable`. */
const responseRules = responseEventRules.filter(({ id }) => id !== 'sequence' && id !== 'stream-id');

/** The description of OpenAI's responses over WebSocket. */
const webSocketMode: PortDescription = {
  description: "OpenAI's WebSocket mode",
  sections: {
    reply: 'WebSocket mode',
    stream: section,
    errors: 'WebSocket mode, Errors to handle',
    conversation: continuation,
  },
  required: ['model', 'input'],
  misread: responseRules.map(({ id }) => id),
  notes: ['several_ids', 'no_id', 'message_form', 'event_name', 'event_number', 'content_text', 'part_form'],
  errorFault: ({ type, error }) => {
    if (!isObject(error)) return `error: ${show(error)}`;
    // A refused upgrade has the error of the API over HTTP, a frame a code as well, which is null for some errors.
    if (type === 'error' && error['code'] !== null && !isText(error['code']))
      return `error.code: ${show(error['code'])}`;
    return isText(error['message']) ? undefined : `error.message: ${show(error['message'])}`;
  },
  isEnd,
};

/** Observes the answer to a message that continues a response which its socket does not remember. */
async function continued(talk: Talk, id: string): Promise<Observation> {
  const { verdict, events } = await talk.sayAnew('Hello.', {
    change: withMembers({ previous_response_id: id }),
  });
  const error = events.find(({ kind }) => kind === 'error')?.fields?.['error'];
  const code = isObject(error) ? error['code'] : undefined;
  return { conforms: code === 'previous_response_not_found', seen: code === undefined ? verdict.outcome : show(code) };
}

const rules: readonly TalkRule[] = [
  ...responseRules.map(({ id, rule, expected, look }) => ofEvents(id, rule, expected, look)),
  ofEvents(
    'stream-usage',
    'The response at the end reports the tokens.',
    'input_tokens and output_tokens',
    (events) => {
      const end = endOf(events);
      if (end === undefined) throw new Skipped('there was no response at the end');
      const { response } = end;
      return observeCounts(isObject(response) ? response['usage'] : undefined, ['input_tokens', 'output_tokens']);
    },
  ),
  {
    id: 'previous-unknown',
    section: continuation,
    rule: 'A previous response that does not exist is refused.',
    expected: 'error.code: "previous_response_not_found"',
    try: (talk) => continued(talk, `resp_${talk.subject.newCode()}`),
  },
  {
    id: 'previous-elsewhere',
    section: continuation,
    rule: 'A response that is not stored is remembered only on its own socket.',
    expected: 'error.code: "previous_response_not_found"',
    try: async (talk) => {
      const { id = '' } = (await talk.answered()).verdict.reply ?? {};
      if (id === '') throw new Skipped('there was no response to continue');
      return continued(talk, id);
    },
  },
];

export const ruleSet: RuleSet = portRuleSet(webSocketMode, rules);
