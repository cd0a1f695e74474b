import { describe, expect, test } from 'vitest';
import { instant } from '../../base/time.ts';
import { MissedProbes } from './missed-probes.ts';

/** Returns the delays of the missed probes of a loop that signs at these instants; probes were sent at others. */
function delaysOf(signs: readonly number[], sent: readonly number[] = []): number[] {
  const missed = new MissedProbes(instant(0));
  return signs.flatMap((at) => {
    if (!missed.sign(instant(at), 10)) return [];
    sent.forEach((each) => missed.received(instant(each)));
    return missed.take().map(({ sentAt, readAt }) => readAt - sentAt);
  });
}

describe('missed probes', () => {
  test('fill a suspension of the whole process: a reply waits for its end, whenever it arrives', () => {
    expect(delaysOf([10, 20, 130])).toEqual([90, 70, 50, 30, 10]);
  });

  test('are none in a stall of the loop alone, whose probes were sent', () => {
    expect(delaysOf([10, 20, 130], [75])).toEqual([]);
  });

  test('are none if the loop receives the probes of the stall before it ticks', () => {
    const missed = new MissedProbes(instant(0));
    expect(missed.sign(instant(10), 10)).toBe(false);
    for (const sentAt of [35, 60, 115, 128]) missed.received(instant(sentAt));
    expect(missed.sign(instant(130), 10)).toBe(true);
    expect(missed.take()).toEqual([]);
  });

  test('are not replaced by probes that were sent before or after the stall', () => {
    expect(delaysOf([10, 20, 130], [25, 131])).toHaveLength(5);
    // The thread resumes a moment before the loop.
    expect(delaysOf([10, 20, 130], [129.5])).toHaveLength(5);
  });

  test('are none in a loop that is a little late', () => {
    expect(delaysOf([10, 25, 70, 118])).toEqual([]);
  });
});
