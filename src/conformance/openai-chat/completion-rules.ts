import { apiRuleSet } from '../model-api/api-rules.ts';
import type { RuleSet } from '../rule-set.ts';
import { isObject } from '../../base/is-object.ts';
import { judgeCompletion } from '../../protocol/openai-chat/judge-completion.ts';
import { show } from '../answer.ts';
import type { ApiRule } from '../model-api/api-talk.ts';
import { type Dialect, errorFault } from '../model-api/dialect.ts';
import { memberOf, isDone, type StreamEvent } from '../model-api/stream-event.ts';
import { endFault, orderly, streamRule } from '../model-api/stream-rule.ts';

/** Chat completions. */
const openaiChat: Dialect = {
  description: 'OpenAI API reference',
  sections: {
    request: 'Create chat completion',
    reply: 'The chat completion object',
    stream: 'The chat completion chunk object',
    errors: 'Error codes',
    conversation: 'Create chat completion, messages',
  },
  kind: { member: 'object', value: 'chat.completion' },
  created: 'created',
  judge: judgeCompletion,
  roleOf: (reply) => memberOf(reply, 'choices', 0, 'message', 'role'),
  finish: {
    member: 'finish_reason',
    known: ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'],
    cutOff: 'length',
    of: (reply) => memberOf(reply, 'choices', 0, 'finish_reason'),
  },
  usage: { input: 'prompt_tokens', output: 'completion_tokens', total: 'total_tokens' },
  required: ['model', 'messages'],
  limits: [{ max_tokens: 3 }, { max_completion_tokens: 3 }],
  errorFault,
  stream: {
    isTyped: false,
    textOf: textIn,
    finishOf: (events) => finishesOf(events).at(-1),
    // Some services put it beside the last choice instead of behind it.
    usageOf: (events) => events.findLast(({ fields }) => isObject(fields?.['usage']))?.fields?.['usage'],
    usageTeller: 'With stream_options.include_usage, a chunk',
  },
};

const section = 'The chat completion chunk object';

/** The chunks of a completion, and their order. */
const chunkRules: readonly ApiRule[] = [
  streamRule(
    section,
    {
      id: 'stream-object',
      rule: 'Every event is a chunk with a list of choices.',
      expected: 'object: "chat.completion.chunk", choices',
    },
    (events) => {
      const other = chunksOf(events).find(
        ({ fields }) => fields?.['object'] !== 'chat.completion.chunk' || !Array.isArray(fields['choices']),
      )?.fields;
      const seen = other && `object: ${show(other['object'])}, choices: ${show(other['choices'])}`;
      return orderly(seen, 'chunks');
    },
  ),
  streamRule(
    section,
    { id: 'stream-id', rule: 'All chunks of a completion have its id.', expected: 'one id' },
    (events) => {
      const ids = [...new Set(chunksOf(events).map(({ fields }) => show(fields?.['id'])))];
      return { isKept: ids.length === 1 && ids[0]?.length !== 2 && ids[0] !== 'missing', seen: ids.join(', ') };
    },
  ),
  streamRule(
    section,
    { id: 'stream-role', rule: 'The first chunk says who speaks.', expected: 'delta.role: "assistant"' },
    (events) => {
      const role = memberOf(chunksOf(events)[0]?.fields, 'choices', 0, 'delta', 'role');
      return { isKept: role === 'assistant', seen: show(role) };
    },
  ),
  streamRule(
    section,
    {
      id: 'stream-end',
      rule: 'finish_reason comes once, and nothing is said behind it.',
      expected: 'one finish_reason, behind the text',
    },
    (events) => orderly(finishFault(events)),
  ),
  streamRule(
    'Create chat completion, stream',
    { id: 'stream-done', rule: 'A stream ends with [DONE].', expected: '[DONE], once and last' },
    (events) => orderly(endFault(events, isDone), 'last'),
  ),
];

const chunksOf = (events: readonly StreamEvent[]): StreamEvent[] => events.filter(({ fields }) => fields !== undefined);

function finishFault(events: readonly StreamEvent[]): string | undefined {
  const count = finishesOf(events).length;
  if (count !== 1) return `finish_reason came ${String(count)} times`;
  const at = events.findIndex((event) => typeof finishIn(event) === 'string');
  const behind = events.slice(at + 1).find((event) => textIn(event) !== '');
  return behind && `"${textIn(behind)}" came behind it`;
}

/** What a chunk adds to the answer; '' for nothing. */
function textIn({ fields }: StreamEvent): string {
  const content = memberOf(fields, 'choices', 0, 'delta', 'content');
  return typeof content === 'string' ? content : '';
}

/** Every finish_reason of the first choice, in order. */
function finishesOf(events: readonly StreamEvent[]): unknown[] {
  return events.map(finishIn).filter((finish) => finish !== undefined && finish !== null);
}

function finishIn({ fields }: StreamEvent): unknown {
  return memberOf(fields, 'choices', 0, 'finish_reason');
}

export const ruleSet: RuleSet = apiRuleSet(openaiChat, chunkRules);
