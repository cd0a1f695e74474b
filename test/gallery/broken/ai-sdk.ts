import type { ApiEvent, ApiRequest, ApiSpoiling } from '../../support/spoiling-api.ts';
import { isOpening, once, portBreakages } from './port.ts';
import { brokenBy, garbage, inEvents, type Breakage, type Fields } from './spoil.ts';

const isAnew = (asked: ApiRequest): boolean => !isOpening(asked);
const ofKind =
  (kind: string) =>
  (_: ApiEvent, { type }: Fields): boolean =>
    type === kind;
/** Replaces events of one kind, except in the first reply. */
const inStreams = (kind: string, replace: (event: ApiEvent) => readonly ApiEvent[]) => (): ApiSpoiling => ({
  ...inEvents(ofKind(kind), replace),
  only: once(isAnew),
});

const breakages: Breakage[] = [
  ...portBreakages({
    required: ['messages'],
    readable: () => ({ ...inEvents(ofKind('finish'), (event) => [garbage, event]), only: isOpening }),
    streamReadable: inStreams('finish', (event) => [garbage, event]),
    // Every reply is streamed.
    isStreamed: isAnew,
    hasErrorFormat: false,
  }),
  ['stream-first', inStreams('start', (event) => [event, event])],
  ['stream-parts', inStreams('text-end', () => [])],
  ['stream-kinds', inStreams('text-end', (event) => [{ type: '', data: { type: 'heartbeat' } }, event])],
  [
    'stream-form',
    inStreams('finish', (event) => [{ ...event, data: { type: 'finish', finishReason: { unified: 'stop' } } }]),
  ],
  ['stream-end', inStreams('finish', (event) => [event, event])],
  [
    'stream-done',
    () => ({
      ...inEvents(
        ({ data }) => data === '[DONE]',
        () => [],
      ),
      only: once(isAnew),
    }),
  ],
];

export const { broken, sound, maxExchanges } = brokenBy(breakages);
