import type { StepVerdict } from '../document/step.ts';
import { type Decision, type SearchEnd, type SearchState, roundLoad, type Shown } from './search.ts';

/** Loads that full steps showed to hold or to be broken, in ascending order; a load with both verdicts is in neither. */
export interface Claims {
  holding: SearchEnd[];
  broken: SearchEnd[];
}

/**
 * Returns the loads that may be claimed: a load holds only if no lower one was broken, and is broken only if no higher one
 * held. Steps that test the recovery after a broken step claim nothing.
 */
export function claimsOf(shown: readonly Shown[]): Claims {
  const full = shown.filter(
    ({ certainty, step }) => certainty === 'full' && !(step.purpose === 'recover' || step.verdict === 'no_evidence'),
  );
  return claimsBetween(poolLoads(full), { from: -Infinity, to: Infinity });
}

/** Returns the claims of single steps, between the combined claims of all steps. */
export function singleClaims(shown: readonly Shown[], { holding, broken }: Claims): Claims {
  const single = shown.map((each) => ({ ...each, numbers: [each.step.number] }));
  return claimsBetween(single, { from: holding.at(-1)?.load ?? 0, to: broken[0]?.load ?? Infinity });
}

function claimsBetween(evidence: readonly Evidence[], { from, to }: { from: number; to: number }): Claims {
  const claims = (verdict: StepVerdict): SearchEnd[] =>
    evidence
      .filter(({ step }) => step.verdict === verdict)
      .map(({ step, numbers }) => ({ load: step.load, steps: numbers }))
      .sort((a, b) => a.load - b.load);
  const [holding, broken] = [claims('holds'), claims('broken')];
  const lowestBroken = Math.min(to, ...broken.map(({ load }) => load));
  const highestHolding = Math.max(from, ...holding.map(({ load }) => load));
  return {
    holding: holding.filter(({ load }) => load < lowestBroken),
    broken: broken.filter(({ load }) => load > highestHolding),
  };
}

const minShown = 2;
export function isConfirmed({ steps }: SearchEnd): boolean {
  return steps.length >= minShown;
}

/** All full steps of one load, or one quick step. */
interface Evidence extends Shown {
  numbers: number[];
}

/** Merges the full steps of a load into one: their combined evidence counts, not the best of several tries. */
export function poolLoads(shown: readonly Shown[]): Evidence[] {
  return shown.flatMap((each, at): Evidence[] => {
    const { step, certainty } = each;
    if (certainty !== 'full') return [{ ...each, numbers: [step.number] }];
    const isSame = (other: Shown): boolean => other.certainty === 'full' && other.step.load === step.load;
    if (shown.slice(at + 1).some(isSame)) return [];
    // A step that was cut short before anything could be judged shows nothing.
    const all = shown.filter(
      (other) => isSame(other) && (other.window !== undefined || other.step.verdict !== 'undecided'),
    );
    const last = all.at(-1) ?? each;
    if (all.length <= 1) return [{ ...last, numbers: [last.step.number] }];
    const objectives = last.pooled?.objectives ?? last.step.objectives;
    const pooled = { ...last.step, verdict: verdictOf(all), objectives };
    return [{ ...last, step: pooled, numbers: all.map((one) => one.step.number) }];
  });
}

/** Returns the verdict that all steps agree on, otherwise the verdict of their pooled evidence. */
function verdictOf(all: readonly Shown[]): StepVerdict {
  const [verdict, ...others] = new Set(all.map(({ step }) => step.verdict));
  const pooled = all.at(-1)?.pooled?.verdict;
  const isAgreed = verdict !== undefined && others.length === 0;
  return isAgreed && (verdict === 'broken' || pooled === undefined) ? verdict : (pooled ?? 'undecided');
}

/** Factor to the load that the generator cannot send, within which the search stops climbing. */
const ceilingFactor = 1.2;
/** Number of undecided full steps of one load before it is abandoned. */
const maxUndecided = 3;

/** Finds the highest load that holds below the generator's ceiling; nothing is claimed about the service's own limit. */
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

export function isShown(claims: readonly SearchEnd[], load: number): boolean {
  return claims.some((claim) => claim.load === load && isConfirmed(claim));
}

/** Requests a full step of a load, unless several of them were undecided. */
export function confirm(load: number, evidence: readonly Shown[]): Decision {
  const full = evidence.filter(({ certainty, step }) => certainty === 'full' && step.load === load);
  const undecided = full.filter(({ step }) => step.verdict === 'undecided').length;
  if (undecided >= maxUndecided || full.length > 2 * maxUndecided)
    return {
      end: 'undecided',
      reason: `${String(load)} is too close to the limit for steps of this length: ${full.at(-1)?.step.reason ?? ''}`,
    };
  return { play: { load, purpose: 'confirm', certainty: 'full' } };
}
