import type { Ms } from '../../base/time.ts';
import { mostRefusals, throttledPerSecond } from '../../schedule/throttle.ts';
import type { Warning } from '../sections/warning.ts';

/** The warning that closed load was slowed down, and from when on. */
export function throttleWarning(atMs: Ms): Warning {
  return {
    code: 'load_throttled',
    message: `The target refused everything: after ${String(mostRefusals)} refusals in a row sessions were started at ${String(throttledPerSecond)} per second at most, from ${(atMs / 1000).toFixed(1)} s until one was created.`,
    remedy:
      'See the failures for what was refused and why. Latency and rates of that time are not those of the configured load.',
  };
}
