import type { ApiEvent, ApiSpoiling } from '../../support/spoiling-api.ts';
import { inEnding, isStreamed, shared } from './model-apis.ts';
import {
  asksToRecall,
  at,
  brokenBy,
  garbage,
  inEvents,
  inReply,
  lacks,
  ofType,
  otherTag,
  put,
  refusing,
  type Breakage,
  type Fields,
} from './spoil.ts';

const isOutcome = ({ type }: Fields): boolean => type === 'message_delta';

const breakages: Breakage[] = [
  ...shared('type', (reply, value) => (reply['stop_reason'] = value), 'end_turn'),
  ['content', () => inReply((reply) => (reply['content'] = 'Hello'))],
  ['role', () => inReply((reply) => (reply['role'] = 'bot'))],
  ['memory', () => inReply((reply, asked) => asksToRecall(asked) && (at(reply, 'content', 0)['text'] = 'Who knows?'))],
  ['messages-missing', () => refusing(lacks('messages'), put(422))],
  ['max_tokens-missing', () => refusing(lacks('max_tokens'), put(422))],
  ['stream-json', () => inEvents(ofType('message_stop'), (event) => [garbage, event])],
  ['stream-names', () => inEvents(ofType('ping'), (event) => [{ ...event, type: 'pong' }])],
  ['stream-text', () => otherTag(isStreamed)],
  ['stream-finish', () => inEnding('others', isOutcome, (fields) => (at(fields, 'delta')['stop_reason'] = 'done'))],
  ['stream-limit', () => inEnding('limited', isOutcome, (fields) => (at(fields, 'delta')['stop_reason'] = 'end_turn'))],
  ['stream-usage', () => inEnding('others', isOutcome, (fields) => (fields['usage'] = {}))],
  ['stream-first', () => inEvents(ofType('message_start'), (event) => [event, event])],
  [
    'stream-message',
    () =>
      inEvents(ofType('message_start'), (event, fields) => [
        { ...event, data: { ...fields, message: { ...at(fields, 'message'), id: '' } } },
      ]),
  ],
  [
    'stream-blocks',
    () => inEvents(ofType('content_block_stop'), (event, fields) => [{ ...event, data: { ...fields, index: 9 } }]),
  ],
  [
    'stream-content',
    () =>
      inEvents(ofType('content_block_delta'), (event, fields) => [
        { ...event, data: { ...fields, delta: { ...at(fields, 'delta'), type: undefined } } },
      ]),
  ],
  ['stream-delta', swappedOutcome],
  ['stream-end', () => inEvents(ofType('message_stop'), (event) => [event, event])],
];

export const { broken, sound, maxExchanges } = brokenBy(breakages);

/** The end of a block follows the end of its message. */
function swappedOutcome(): ApiSpoiling {
  let held: ApiEvent[] = [];
  return {
    onEvent: (event) => {
      if (event.type === 'content_block_stop') held = [event];
      if (event.type === 'content_block_stop') return [];
      if (event.type !== 'message_delta') return [event];
      return [event, ...held];
    },
  };
}
