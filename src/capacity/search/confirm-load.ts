import type { Decision, SearchState } from './decision.ts';
import { claimsOf, isConfirmed, type Claim } from './ends.ts';
import { roundLoad } from './round-load.ts';
import type { Shown } from './step-runner.ts';

/** Below what the generator cannot carry the search goes on until it is as near as this. */
const ceilingFactor = 1.2;
/** Full steps of one load that say nothing, before it is given up. */
const mostUndecided = 3;

/** The generator carries no more: the highest load below that is shown to hold, and nothing is said of the service's own limit. */
export function below(
  ceiling: SearchState['ceiling'],
  { low, evidence, by }: { low: number; evidence: readonly Shown[]; by: SearchState['settings']['by'] },
): Decision {
  const between = roundLoad(Math.sqrt(low * ceiling.load), by);
  if (ceiling.load > low * ceilingFactor && between > low && between < ceiling.load)
    return { play: { load: between, purpose: 'climb', certainty: 'quick' } };
  if (isShown(claimsOf(evidence).holding, low)) return { end: 'generator_limited', reason: ceiling.why };
  const next = confirm(low, evidence);
  return 'end' in next ? { end: 'generator_limited', reason: ceiling.why } : next;
}

/** Whether a load was shown as often as an end has to be. */
export function isShown(claims: readonly Claim[], load: number): boolean {
  return claims.some((claim) => claim.load === load && isConfirmed(claim));
}

/** A full step of a load, unless several of them said nothing. */
export function confirm(load: number, evidence: readonly Shown[]): Decision {
  const full = evidence.filter(({ certainty, step }) => certainty === 'full' && step.load === load);
  const undecided = full.filter(({ step }) => step.verdict === 'undecided').length;
  if (undecided >= mostUndecided || full.length > 2 * mostUndecided)
    return {
      end: 'undecided',
      reason: `${String(load)} is too near the limit for steps of this length: ${reasonOf(full)}`,
    };
  return { play: { load, purpose: 'confirm', certainty: 'full' } };
}

const reasonOf = (steps: readonly Shown[]): string => steps.at(-1)?.step.reason ?? '';
