import { poolLoads } from './pool-loads.ts';
import type { Shown } from './step-runner.ts';

/** What full steps have shown of a load. */
export interface Claim {
  load: number;
  /** The numbers of the steps that show it. */
  steps: number[];
}

/** Loads that full steps showed to hold, and to be broken, from the lowest; a load with both is in neither. */
export interface Claims {
  holding: Claim[];
  broken: Claim[];
}

/**
 * What may be claimed: a load holds only where none below it was seen broken, and breaks only where none above it was
 * seen to hold. Steps after a broken one that look whether the service has recovered claim nothing.
 */
export function claimsOf(shown: readonly Shown[]): Claims {
  const full = poolLoads(
    shown.filter(
      ({ certainty, step }) => certainty === 'full' && !(step.purpose === 'recover' || step.verdict === 'no_evidence'),
    ),
  );
  const claims = (verdict: string): Claim[] =>
    full
      .filter(({ step }) => step.verdict === verdict)
      .map(({ step, numbers }) => ({ load: step.load, steps: numbers }))
      .sort((a, b) => a.load - b.load);
  const [holding, broken] = [claims('holds'), claims('broken')];
  const lowestBroken = Math.min(Infinity, ...broken.map(({ load }) => load));
  const highestHolding = Math.max(-Infinity, ...holding.map(({ load }) => load));
  return {
    holding: holding.filter(({ load }) => load < lowestBroken),
    broken: broken.filter(({ load }) => load > highestHolding),
  };
}

/** How often an end has to be shown. */
const leastShown = 2;
export function isConfirmed({ steps }: Claim): boolean {
  return steps.length >= leastShown;
}
