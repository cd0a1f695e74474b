import { beginRealtime, realtimeError } from '../../support/realtime-model.ts';
import { openSocketModel, type SocketFrame, type SocketSpoiling } from '../../support/socket-model.ts';
import { brokenSockets, examined, inExamined, sharedBreakages, type SocketBreakage } from './sockets.ts';

/** Changes the response at the end of the examined reply. */
const inResponse = (changed: object) => () =>
  inExamined('response.done', (event) => [{ ...event, response: { ...(event['response'] as object), ...changed } }]);
const message = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] };
const isItem = ({ type }: SocketFrame): boolean => type === 'conversation.item.create';

const breakages: SocketBreakage[] = [
  ...sharedBreakages((frame) => (isItem(frame) ? [realtimeError('busy', 'Busy')] : undefined)).filter(
    ([id]) => id !== 'stream-begins',
  ),
  ['stream-begins', silentOnce],
  ['stream-readable', inResponse({ output: 'none' })],
  [
    'stream-first',
    () =>
      inExamined('response.created', (event) => [
        { ...event, type: 'rate_limits.updated' },
        { type: 'response.other' },
        event,
      ]),
  ],
  ['stream-items', () => inExamined('response.content_part.done', () => [])],
  [
    'stream-end',
    () => ({ ...inExamined('response.done', () => []), onEnd: (ws, nth) => nth === examined && ws.close(1000) }),
  ],
  ['stream-repeats', () => inExamined('response.output_text.done', (event) => [{ ...event, text: 'Other' }])],
  ['stream-kinds', () => inExamined('response.done', (event) => ['{}', event])],
  [
    'stream-form',
    () => ({
      onEvent: (event, nth) => [
        nth === examined ? { ...event, type: event.type.replace('.output_text.', '.text.') } : event,
      ],
    }),
  ],
  ['stream-usage', inResponse({ usage: null })],
  [
    'item-missing',
    () => ({
      onFrame: (frame) => {
        if (isItem(frame) && frame['item'] === undefined) frame['item'] = message;
        return undefined;
      },
    }),
  ],
  ['not-json', () => ({ garbage: { type: 'response.create' } })],
];

export const { broken, sound, maxExchanges } = brokenSockets(
  (spoiling) => openSocketModel(beginRealtime, spoiling),
  breakages,
);

/** Closes the socket instead of answering the frames of the examined turn. */
function silentOnce(): SocketSpoiling {
  let turns = 0;
  return {
    onFrame: (frame) => (isItem(frame) && ++turns === examined ? [] : undefined),
    onEvent: (event, nth) => (nth === examined ? [] : [event]),
    onEnd: (ws, nth) => nth === examined && ws.close(1000),
  };
}
