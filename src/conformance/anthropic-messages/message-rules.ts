import { isObject } from '../../base/is-object.ts';
import { show } from '../answer.ts';
import type { ApiRule } from '../model-api/api-talk.ts';
import { memberOf } from '../model-api/stream-event.ts';
import { endFault, nameOf, orderly, streamRule } from '../model-api/stream-rule.ts';
import { blockFault } from './block-fault.ts';

const section = 'Streaming messages';

/** The events of a message, and their order. */
export const messageRules: readonly ApiRule[] = [
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
