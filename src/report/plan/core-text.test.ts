import { expect, test } from 'vitest';
import { coreNeedsOf } from '../../plan/core-needs.ts';
import { coresText } from './plan-text.ts';

const text = (peakTurnsPerSecond: number | null, peakTurnsInFlight: number, measured?: number): string =>
  coresText(coreNeedsOf({ peakTurnsPerSecond, peakTurnsInFlight }, measured));

test.each([
  [100, 20, undefined, '1 (one process sends about 50,000 turns/s)'],
  [100, 20, 48_210, '1 (one process sends about 48,000 turns/s here)'],
  [
    ...([90_000, 900, 48_210] as const),
    '3 (one process sends about 48,000 turns/s here, 25 % headroom): run with --cores 3, or --fleet on several machines',
  ],
  [
    ...([900, 25_000, 48_210] as const),
    '3 (one process sustains about 10,000 turns in flight): run with --cores 3, or --fleet on several machines',
  ],
  [
    ...([null, 25, undefined] as const),
    'unknown: the rate depends on the service (one process sends about 50,000 turns/s); chat-load calibrate measures it here',
  ],
] as const)(
  'the text for %s turns/s with %s in flight, if a process was measured to send %s',
  (rate, flight, measured, words) => {
    expect(text(rate, flight, measured)).toBe(words);
  },
);
