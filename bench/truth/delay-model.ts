import { randomLogNormal } from 'd3-random';
import { randomOf } from '../../src/base/random.ts';

/** How long the target takes over a message. */
export type DelayModel =
  | { kind: 'constant'; ms: number }
  | { kind: 'lognormal'; medianMs: number; sigma: number }
  /** Constant, but what comes between two instants (from the first creation on) is answered after the second. */
  | { kind: 'stall'; ms: number; fromMs: number; untilMs: number };

/** The wait before the reply to a message that comes `sinceFirst` milliseconds after the first creation. */
export function waitsOf(model: DelayModel): (sinceFirst: number) => number {
  switch (model.kind) {
    case 'constant':
      return () => model.ms;
    case 'lognormal':
      return randomLogNormal.source(randomOf(1))(Math.log(model.medianMs), model.sigma);
    case 'stall':
      return (at) => (at >= model.fromMs && at < model.untilMs ? model.untilMs - at : 0) + model.ms;
  }
}
