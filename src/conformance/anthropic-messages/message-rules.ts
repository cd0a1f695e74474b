import { apiRuleSet } from '../model-api/api-rules.ts';
import type { RuleSet } from '../rule-set.ts';
import { isObject } from '../../base/is-object.ts';
import { judgeMessage } from '../../protocol/anthropic-messages/judge-message.ts';
import { show, type Fields } from '../answer.ts';
import type { ApiRule } from '../model-api/api-talk.ts';
import { type Dialect, errorFault } from '../model-api/dialect.ts';
import { memberOf, type StreamEvent } from '../model-api/stream-event.ts';
import { endFault, nameOf, orderly, streamRule } from '../model-api/stream-rule.ts';

const section = 'Streaming messages';

/** The events of a message, and their order. */
const messageRules: readonly ApiRule[] = [
  streamRule(
    section,
    { id: 'stream-first', rule: 'A stream begins with message_start.', expected: 'message_start, once and first' },
    (events) => {
      const times = events.filter(({ kind }) => kind === 'message_start').length;
      const isKept = events.find(({ kind }) => kind !== 'ping')?.kind === 'message_start' && times === 1;
      return { isKept, seen: times > 1 ? `${String(times)} times` : `${nameOf(events[0])} first` };
    },
  ),
  streamRule(
    section,
    {
      id: 'stream-message',
      rule: 'message_start has the message: its id, no content and no stop_reason yet.',
      expected: 'an id, content: []',
    },
    (events) => {
      const message = memberOf(events.find(({ kind }) => kind === 'message_start')?.fields, 'message');
      if (!isObject(message)) return { isKept: false, seen: `message: ${show(message)}` };
      const { type, id, content, stop_reason: reason = null } = message;
      const isEmpty = Array.isArray(content) && content.length === 0 && reason === null;
      const isKept = type === 'message' && typeof id === 'string' && id !== '' && isEmpty;
      return { isKept, seen: `id: ${show(id)}, content: ${isEmpty ? '[]' : show(content)}` };
    },
  ),
  streamRule(
    section,
    {
      id: 'stream-blocks',
      rule: 'Blocks come one after the other: content_block_start, its deltas, content_block_stop.',
      expected: 'start, deltas, stop, by index',
    },
    (events) => orderly(blockFault(events)),
  ),
  streamRule(
    section,
    { id: 'stream-delta', rule: 'message_delta comes behind all blocks.', expected: 'message_delta behind the blocks' },
    (events) => {
      const kinds = events.map(({ kind }) => kind);
      const at = kinds.indexOf('message_delta');
      if (at === -1) return { isKept: false, seen: 'no message_delta' };
      const behind = kinds.slice(at).find((kind) => kind.startsWith('content_block'));
      return orderly(behind && `${behind} behind message_delta`);
    },
  ),
  streamRule(
    section,
    { id: 'stream-end', rule: 'A stream ends with message_stop.', expected: 'message_stop, once and last' },
    (events) =>
      orderly(
        endFault(events, ({ kind }) => kind === 'message_stop'),
        nameOf(events.at(-1)),
      ),
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
  judge: judgeMessage,
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
    finishOf: (events) => memberOf(outcomesOf(events).at(-1), 'delta', 'stop_reason'),
    usageOf: usageIn,
    usageTeller: 'message_start and message_delta',
  },
};

/** What an event adds to the answer; '' for nothing. */
function textIn({ kind, fields }: StreamEvent): string {
  const text = kind === 'content_block_delta' ? memberOf(fields, 'delta', 'text') : '';
  return typeof text === 'string' ? text : '';
}

/** The events that say how the message ended. */
function outcomesOf(events: readonly StreamEvent[]): (Fields | undefined)[] {
  return events.filter(({ kind }) => kind === 'message_delta').map(({ fields }) => fields);
}

/** The tokens of the request come first, those of the reply at the end; counts replace earlier ones. */
function usageIn(events: readonly StreamEvent[]): Fields {
  const begun = memberOf(events.find(({ kind }) => kind === 'message_start')?.fields, 'message', 'usage');
  const ended = outcomesOf(events).map((outcome) => outcome?.['usage']);
  // The tokens of the reply that the beginning tells are not those of the whole of it.
  const input = isObject(begun) ? { ...begun, output_tokens: undefined } : {};
  return Object.assign(input, ...ended.filter(isObject)) as Fields;
}

/** What is wrong with the order of blocks, in words; `undefined`: nothing is. */
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
