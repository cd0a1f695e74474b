import type { Ms } from '../../base/time.ts';
import type { Operation } from '../../protocol/protocol.ts';
import { mostRefusals, throttledPerSecond } from '../../schedule/throttle.ts';
import type { Warning } from '../sections/warning.ts';

/** The warning that closed load was slowed down, because of what, and from when on. */
export function throttleWarning(refused: Operation, atMs: Ms): Warning {
  const { what, end } = words[refused];
  return {
    code: 'load_throttled',
    message: `The target refused ${what}: after ${String(mostRefusals)} refusals in a row sessions were started at ${String(throttledPerSecond)} per second at most, from ${(atMs / 1000).toFixed(1)} s until ${end}.`,
    remedy:
      'See the failures for what was refused and why. Latency and rates of that time are not those of the configured load.',
  };
}

const words: Readonly<Record<Operation, { what: string; end: string }>> = {
  create: { what: 'to create sessions', end: 'one was created' },
  message: { what: 'messages', end: 'one was ok' },
};
