import { apiRuleSet } from '../model-api/api-rules.ts';
import type { RuleSet } from '../rule-set.ts';
import { isObject, valueAt } from '../../base/is-object.ts';
import { Notes } from '../../protocol/notes.ts';
import { contentIn } from '../../protocol/model-api/content-parts.ts';
import { judgeCompletion } from '../../protocol/openai-chat/read-completion.ts';
import { show, type Fields } from '../answer.ts';
import { eventRules, type TalkRule } from '../talk-rules.ts';
import { type Dialect, errorFault } from '../model-api/dialect.ts';
import { isDone, observeEnd, observeFault, type StreamEvent } from '../stream-event.ts';

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
  judge: (reply) => judgeCompletion(reply),
  roleOf: (reply) => valueAt(reply, ['choices', '0', 'message', 'role']),
  finish: {
    member: 'finish_reason',
    known: ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'],
    cutOff: 'length',
    of: (reply) => valueAt(reply, ['choices', '0', 'finish_reason']),
  },
  usage: { input: 'prompt_tokens', output: 'completion_tokens', total: 'total_tokens' },
  required: ['model', 'messages'],
  limits: [{ max_tokens: 3 }, { max_completion_tokens: 3 }],
  errorFault,
  stream: {
    isTyped: false,
    textOf: textIn,
    finishOf: (events) => finishesOf(events).at(-1),
    // Some services put it next to the last choice instead of after it.
    usageOf: (events) => events.findLast(({ fields }) => isObject(fields?.['usage']))?.fields?.['usage'],
    usageSource: 'With stream_options.include_usage, a chunk',
  },
};

const ofEvents = eventRules('The chat completion chunk object');

/** Returns the rules of the chunks of a completion and their order. `isOther`: chunks of a service's own, which are not part of it. */
const chunkRules = (isOther: (chunk: Fields) => boolean): readonly TalkRule[] => [
  ofEvents(
    'stream-object',
    'Every event is a chunk with a list of choices.',
    'object: "chat.completion.chunk" and choices in every event',
    (events) => {
      const other = chunksOf(events, isOther).find(
        ({ fields }) => fields?.['object'] !== 'chat.completion.chunk' || !Array.isArray(fields['choices']),
      )?.fields;
      const fault = other && `object: ${show(other['object'])}, choices: ${show(other['choices'])}`;
      return observeFault(fault, 'in every event');
    },
  ),
  ofEvents('stream-id', 'All chunks of a completion have its id.', 'the same id in every event', (events) => {
    const ids = [...new Set(chunksOf(events, isOther).map(({ fields }) => show(fields?.['id'])))];
    return { conforms: ids.length === 1 && ids[0]?.length !== 2 && ids[0] !== 'missing', seen: ids.join(', ') };
  }),
  ofEvents('stream-index', 'The first choice has the index 0.', 'choices[0].index: 0 in every event', (events) => {
    const indexes = chunksOf(events, isOther).map(({ fields }) => valueAt(fields, ['choices', '0', 'index']));
    const other = indexes.find((index) => index !== undefined && index !== 0);
    return observeFault(other === undefined ? undefined : `index: ${show(other)}`, '0 in every event');
  }),
  ofEvents('stream-content', 'The content of a chunk is a text.', 'delta.content: a text or null', (events) => {
    const choices = chunksOf(events, isOther).map(({ fields }) => valueAt(fields, ['choices', '0']));
    const bare = choices.find((choice) => isObject(choice) && !isObject(choice['delta']));
    if (bare !== undefined) return observeFault(`delta: ${show(valueAt(bare, ['delta']))}`);
    const contents = choices.map((choice) => valueAt(choice, ['delta', 'content']));
    const other = contents.find((content) => content !== null && !['string', 'undefined'].includes(typeof content));
    return observeFault(other === undefined ? undefined : `content: ${show(other)}`, 'texts');
  }),
  ofEvents('stream-role', 'The first chunk contains the role.', 'delta.role: "assistant"', (events) => {
    const role = valueAt(chunksOf(events, isOther)[0]?.fields, ['choices', '0', 'delta', 'role']);
    return { conforms: role === 'assistant', seen: show(role) };
  }),
  ofEvents(
    'stream-end',
    'finish_reason is sent once, in a chunk of its own after all text.',
    'one finish_reason, without text and not followed by text',
    (events) => observeFault(finishFault(events)),
  ),
  eventRules('Create chat completion, stream')(
    'stream-done',
    'A stream ends with [DONE].',
    '[DONE], once and last',
    (events) => observeEnd(events, isDone, 'last'),
  ),
];

const chunksOf = (events: readonly StreamEvent[], isOther: (chunk: Fields) => boolean): StreamEvent[] =>
  events.filter(({ fields }) => fields !== undefined && !isOther(fields));

function finishFault(events: readonly StreamEvent[]): string | undefined {
  const count = finishesOf(events).length;
  if (count !== 1) return `finish_reason was sent ${String(count)} times`;
  const at = events.findIndex((event) => typeof finishIn(event) === 'string');
  const late = events.slice(at).findIndex((event) => textIn(event) !== '');
  const text = events[at + late];
  return late === -1 || text === undefined
    ? undefined
    : `"${textIn(text)}" was sent ${late === 0 ? 'with' : 'after'} it`;
}

/** Returns the text of the answer in a chunk, also in parts, or as the older API has it; '' if there is none. */
function textIn({ fields }: StreamEvent): string {
  const choice = valueAt(fields, ['choices', '0']);
  if (!isObject(choice)) return '';
  const { delta, text } = choice;
  return (isObject(delta) ? contentIn(delta, new Notes())?.text : typeof text === 'string' ? text : undefined) ?? '';
}

/** Returns every finish_reason of the first choice, in order. */
function finishesOf(events: readonly StreamEvent[]): unknown[] {
  return events.map(finishIn).filter((finish) => finish !== undefined && finish !== null);
}

function finishIn({ fields }: StreamEvent): unknown {
  return valueAt(fields, ['choices', '0', 'finish_reason']);
}

/** Returns the rules of a service of chat completions, with its own description. */
export function completionRuleSet(description: string, isOther: (chunk: Fields) => boolean): RuleSet {
  return apiRuleSet({ ...openaiChat, description }, chunkRules(isOther));
}

export const ruleSet: RuleSet = completionRuleSet(openaiChat.description, () => false);
