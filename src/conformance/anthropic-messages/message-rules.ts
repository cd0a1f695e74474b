import { apiRuleSet } from '../model-api/api-rules.ts';
import type { RuleSet } from '../rule-set.ts';
import { isObject, valueAt } from '../../base/is-object.ts';
import { judgeMessage, MessageReader } from '../../protocol/anthropic-messages/read-message.ts';
import { isText, show, type Fields } from '../answer.ts';
import { eventRules, type TalkRule } from '../talk-rules.ts';
import { contentRule } from '../model-api/observe-notes.ts';
import { type Dialect, errorFault } from '../model-api/dialect.ts';
import { observeEnd, observeFault, observeFirst, type StreamEvent } from '../stream-event.ts';

const ofEvents = eventRules('Streaming messages');

/** Rules of the events of a message and their order. */
const messageRules: readonly TalkRule[] = [
  ofEvents('stream-first', 'A stream begins with message_start.', 'message_start, once and first', (events) =>
    observeFirst(events, 'message_start', 'ping'),
  ),
  ofEvents(
    'stream-message',
    'message_start contains the message: its id, no content and no stop_reason yet.',
    'an id, content: []',
    (events) => {
      const message = events.find(({ kind }) => kind === 'message_start')?.fields?.['message'];
      if (!isObject(message)) return { conforms: false, seen: `message: ${show(message)}` };
      const { type, id, content, stop_reason: reason = null } = message;
      const isEmpty = Array.isArray(content) && content.length === 0 && reason === null;
      return {
        conforms: type === 'message' && isText(id) && isEmpty,
        seen: `id: ${show(id)}, content: ${isEmpty ? '[]' : show(content)}`,
      };
    },
  ),
  ofEvents(
    'stream-blocks',
    'Blocks follow each other: content_block_start, its deltas, content_block_stop.',
    'start, deltas, stop for each index in turn',
    (events) => observeFault(blockFault(events)),
  ),
  contentRule(ofEvents, () => new MessageReader()),
  ofEvents('stream-delta', 'message_delta follows all blocks.', 'message_delta after the blocks', (events) => {
    const kinds = events.map(({ kind }) => kind);
    const at = kinds.indexOf('message_delta');
    if (at === -1) return { conforms: false, seen: 'no message_delta' };
    const late = kinds.slice(at).find((kind) => kind.startsWith('content_block'));
    return observeFault(late && `${late} after message_delta`);
  }),
  ofEvents('stream-end', 'A stream ends with message_stop.', 'message_stop, once and last', (events) =>
    observeEnd(events, ({ kind }) => kind === 'message_stop'),
  ),
];

/** Anthropic's messages. */
const anthropicMessages: Dialect = {
  description: 'Claude API reference',
  sections: {
    request: 'Create a message',
    reply: 'Create a message, response',
    stream: 'Streaming messages',
    errors: 'Errors',
    conversation: 'Create a message, messages',
  },
  kind: { member: 'type', value: 'message' },
  created: undefined,
  judge: (message) => judgeMessage(message),
  roleOf: (reply) => reply['role'],
  finish: {
    member: 'stop_reason',
    known: [
      'end_turn',
      'max_tokens',
      'stop_sequence',
      'tool_use',
      'pause_turn',
      'refusal',
      'model_context_window_exceeded',
    ],
    cutOff: 'max_tokens',
    of: (reply) => reply['stop_reason'],
  },
  usage: { input: 'input_tokens', output: 'output_tokens', total: undefined },
  required: ['model', 'messages', 'max_tokens'],
  limits: [{ max_tokens: 3 }],
  errorFault: (body) => (body['type'] === 'error' ? errorFault(body) : `type: ${show(body['type'])}`),
  stream: {
    isTyped: true,
    textOf: textIn,
    finishOf: (events) => valueAt(outcomesOf(events).at(-1), ['delta', 'stop_reason']),
    usageOf: usageIn,
    usageSource: 'message_start and message_delta',
  },
};

/** Returns the text of the answer in an event; '' if there is none. */
function textIn({ kind, fields }: StreamEvent): string {
  const text = kind === 'content_block_delta' ? valueAt(fields, ['delta', 'text']) : '';
  return typeof text === 'string' ? text : '';
}

/** Returns the events with the end of the message. */
function outcomesOf(events: readonly StreamEvent[]): (Fields | undefined)[] {
  return events.filter(({ kind }) => kind === 'message_delta').map(({ fields }) => fields);
}

/** The tokens of the request are reported first, the tokens of the reply at the end; counts replace earlier ones. */
function usageIn(events: readonly StreamEvent[]): Fields {
  const begun = valueAt(events.find(({ kind }) => kind === 'message_start')?.fields, ['message', 'usage']);
  const ended = outcomesOf(events).map((outcome) => outcome?.['usage']);
  // The beginning reports only the tokens of the reply so far.
  const input = isObject(begun) ? { ...begun, output_tokens: undefined } : {};
  return Object.assign(input, ...ended.filter(isObject)) as Fields;
}

/** Describes the first fault in the order of blocks, if any. */
function blockFault(events: readonly StreamEvent[]): string | undefined {
  let next = 0;
  let open: unknown;
  for (const { kind, fields } of events) {
    const index = fields?.['index'];
    switch (kind) {
      case 'content_block_start':
        if (open !== undefined) return `block ${show(index)} begins within block ${show(open)}`;
        if (index !== next) return `block ${show(index)} in place of block ${String(next)}`;
        open = next++;
        break;
      case 'content_block_delta':
      case 'content_block_stop':
        if (index !== open) return `${kind} of block ${show(index)}, which is not open`;
        if (kind === 'content_block_stop') open = undefined;
    }
  }
  return open === undefined ? undefined : `block ${show(open)} never stopped`;
}

export const ruleSet: RuleSet = apiRuleSet(anthropicMessages, messageRules);
