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
  const full = shown.filter(({ certainty, step }) => certainty === 'full' && step.purpose !== 'recover');
  const loadsOf = (verdict: string): number[] =>
    full.filter(({ step }) => step.verdict === verdict).map(({ step }) => step.load);
  const lowestBroken = Math.min(Infinity, ...loadsOf('broken'));
  const highestHolding = Math.max(-Infinity, ...loadsOf('holds'));
  return {
    holding: groupClaims(full, 'holds').filter(({ load }) => load < lowestBroken),
    broken: groupClaims(full, 'broken').filter(({ load }) => load > highestHolding),
  };
}

function groupClaims(full: readonly Shown[], verdict: string): Claim[] {
  const byLoad = new Map<number, number[]>();
  for (const { step } of full)
    if (step.verdict === verdict) byLoad.set(step.load, [...(byLoad.get(step.load) ?? []), step.number]);
  return [...byLoad].map(([load, steps]) => ({ load, steps })).sort((a, b) => a.load - b.load);
}

/** How often an end has to be shown. */
const leastShown = 2;
export function isConfirmed({ steps }: Claim): boolean {
  return steps.length >= leastShown;
}
