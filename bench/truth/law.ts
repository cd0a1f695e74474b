import { randomLogNormal } from 'd3-random';
import { randomOf } from '../../src/base/random.ts';

/** How long the target takes over a message. */
export type Law =
  | { kind: 'constant'; ms: number }
  | { kind: 'lognormal'; medianMs: number; sigma: number }
  /** Constant, but what comes between two instants (from the first creation on) is answered after the second. */
  | { kind: 'stall'; ms: number; fromMs: number; untilMs: number };

/** The wait before the reply to a message that comes `sinceFirst` milliseconds after the first creation. */
export function waitsOf(law: Law): (sinceFirst: number) => number {
  switch (law.kind) {
    case 'constant':
      return () => law.ms;
    case 'lognormal':
      return randomLogNormal.source(randomOf(1))(Math.log(law.medianMs), law.sigma);
    case 'stall':
      return (at) => (at >= law.fromMs && at < law.untilMs ? law.untilMs - at : 0) + law.ms;
  }
}
