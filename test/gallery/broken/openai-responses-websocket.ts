import { beginResponses } from '../../support/responses-model.ts';
import { errorFrame, openSocketModel, type SocketFrame, type SocketSpoiling } from '../../support/socket-model.ts';
import { brokenSockets, examined, inExamined, sharedBreakages, type SocketBreakage } from './sockets.ts';

/** Completes a frame that has to be refused. */
const accepting = (picks: (frame: SocketFrame) => boolean, completion: object) => (): SocketSpoiling => ({
  onFrame: (frame) => {
    if (picks(frame)) Object.assign(frame, completion);
    return undefined;
  },
});

/** Changes the response at the end of the examined reply. */
const inResponse = (changed: object) => () =>
  inExamined('response.completed', (event) => [
    { ...event, response: { ...(event['response'] as object), ...changed } },
  ]);

const isUnknown = ({ previous_response_id: id }: SocketFrame): boolean => String(id).startsWith('resp_QX');
const isElsewhere = (frame: SocketFrame): boolean => {
  const text = JSON.stringify(frame);
  return !isUnknown(frame) && text.includes('previous_response_id') && text.includes('"Hello."');
};
const message = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] };

const breakages: SocketBreakage[] = [
  ...sharedBreakages(() => [errorFrame('busy', 'Busy')]),
  [
    'stream-readable',
    () =>
      inExamined('response.in_progress', (event) => [
        { ...event, response: { ...(event['response'] as object), id: 'resp_x' } },
      ]),
  ],
  ['stream-first', () => inExamined('response.created', () => [])],
  ['stream-items', () => inExamined('response.content_part.done', (event) => [{ ...event, type: 'response.other' }])],
  [
    'stream-end',
    () => ({
      ...inExamined('response.completed', () => []),
      onEnd: (ws, nth) => nth === examined && ws.close(1000),
    }),
  ],
  ['stream-repeats', () => inExamined('response.output_text.done', (event) => [{ ...event, text: 'Other' }])],
  ['stream-usage', inResponse({ usage: null })],
  ['previous-unknown', accepting(isUnknown, { previous_response_id: undefined })],
  ['previous-elsewhere', accepting(isElsewhere, { previous_response_id: undefined })],
  ['model-missing', accepting(({ model }) => model === undefined, { model: 'm' })],
  ['input-missing', accepting(({ input }) => input === undefined, { input: [message] })],
  ['not-json', () => ({ garbage: { type: 'response.create', model: 'm', input: [message] } })],
];

export const { broken, sound, maxExchanges } = brokenSockets(
  (spoiling) => openSocketModel(beginResponses, spoiling),
  breakages,
);
