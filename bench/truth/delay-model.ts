import { randomLogNormal } from 'd3-random';
import { randomOf } from '../../src/base/random.ts';

/** Distribution of the target's response times. */
export type DelayModel =
  | { kind: 'constant'; ms: number }
  | { kind: 'lognormal'; medianMs: number; sigma: number; seed?: number }
  /** Constant, but requests between two times (since the first creation) are answered after the second. */
  | { kind: 'stall'; ms: number; fromMs: number; untilMs: number };

/** Returns a function for the wait before a reply, by the message's arrival in milliseconds after the first creation. */
export function waitsOf(model: DelayModel): (sinceFirst: number) => number {
  switch (model.kind) {
    case 'constant':
      return () => model.ms;
    case 'lognormal':
      return randomLogNormal.source(randomOf(model.seed ?? 1))(Math.log(model.medianMs), model.sigma);
    case 'stall':
      return (at) => (at >= model.fromMs && at < model.untilMs ? model.untilMs - at : 0) + model.ms;
  }
}
