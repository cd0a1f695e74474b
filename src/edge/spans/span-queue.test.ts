import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { instant } from '../../base/time.ts';
import type { EndedSpan } from '../../record/spans.ts';
import { SpanQueue } from './span-queue.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const span: EndedSpan = {
  traceId: '1'.repeat(32),
  spanId: '2'.repeat(16),
  name: 'turn',
  kind: 'internal',
  isSampled: true,
  startedAt: instant(0),
  endedAt: instant(1),
  isFailed: false,
  attributes: {},
};
const never = new AbortController().signal;

/** A queue whose batches end as `answer` decides, with the sizes of these batches. */
function queueOf(answer: (batch: number) => string | undefined | Promise<string | undefined>) {
  const sizes: number[] = [];
  const send = (spans: readonly EndedSpan[]) => Promise.resolve(answer(sizes.push(spans.length)));
  const queue = new SpanQueue({ send, url: 'http://collector', named: 'spans' });
  const add = (count: number): void => {
    for (let at = 0; at < count; at++) queue.add(span);
  };
  return { add, end: (hurry = never) => queue.end(hurry), sizes };
}

const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const messagesOf = async (ended: ReturnType<SpanQueue['end']>): Promise<string[]> =>
  (await ended).map(({ message }) => message);

test('a full batch is sent at once, others a second later, and the rest at the end', async () => {
  const { add, end, sizes } = queueOf(() => undefined);
  add(100);
  await turnOfLoop();
  expect(sizes).toEqual([]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(sizes).toEqual([100]);
  await turnOfLoop();
  add(128);
  await turnOfLoop();
  expect(sizes).toEqual([100, 128]);
  await turnOfLoop();
  add(5);
  expect(await end()).toEqual([]);
  expect(sizes).toEqual([100, 128, 5]);
});

test('spans that arrive during a request wait for a full batch, or a second', async () => {
  const { add, end, sizes } = queueOf(() => {
    if (sizes.length < 3) add(10);
    return undefined;
  });
  add(128);
  for (let turn = 0; turn < 4; turn++) await turnOfLoop();
  expect(sizes).toEqual([128]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(sizes).toEqual([128, 10]);
  add(300);
  expect(await end()).toEqual([]);
  expect(sizes).toEqual([128, 10, 128, 128, 54]);
});

test('a full queue drops spans, and counts them', async () => {
  const { add, end, sizes } = queueOf(() => undefined);
  add(20_100);
  expect(await messagesOf(end())).toEqual([
    '100 of 20100 spans did not arrive at http://collector: it takes them too slowly.',
  ]);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(20_000);
});

test('a batch that does not arrive is lost, and the next ones are sent', async () => {
  const { add, end } = queueOf((batch) => (batch === 1 ? 'connection refused' : undefined));
  add(130);
  await vi.advanceTimersByTimeAsync(1000);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await messagesOf(end())).toEqual(['128 of 130 spans did not arrive at http://collector: connection refused.']);
});

test('the end does not wait for a collector that failed', async () => {
  const { add, end, sizes } = queueOf(() => 'connection refused');
  add(127);
  await vi.advanceTimersByTimeAsync(1000);
  add(173);
  await turnOfLoop();
  expect(await messagesOf(end())).toEqual(['300 of 300 spans did not arrive at http://collector: connection refused.']);
  expect(sizes).toEqual([127]);
});

test('a signal ends the wait for a collector that does not answer', async () => {
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(never);
  onTestFinished(() => void vi.restoreAllMocks());
  const { add, end } = queueOf(() => new Promise(() => undefined));
  add(10);
  const hurry = new AbortController();
  const ended = messagesOf(end(hurry.signal));
  hurry.abort();
  expect(await ended).toEqual(['10 of 10 spans did not arrive at http://collector: it took too long.']);
});
