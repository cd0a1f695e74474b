import { bracketOf } from './bracket.ts';
import { below, confirm, isShown } from './confirm-load.ts';
import type { Decision, SearchState } from './decision.ts';
import { claimsOf, isConfirmed } from './ends.ts';
import { planNarrowing } from './plan-narrowing.ts';
import { roundLoad } from './round-load.ts';
import type { SearchSettings } from './search.ts';
import type { Shown } from './step-runner.ts';

/** Whatever happens, a search ends. */
const mostSteps = 60;
/** Loads grow by this factor until one breaks. */
const climbFactor = 2;

/** Decides by what was shown alone: up to the first load that breaks, then between, then both ends again. */
export function planStep(state: SearchState): Decision {
  const { settings, ceiling } = state;
  const evidence = state.shown.filter(({ step }) => step.verdict !== 'no_evidence');
  const { low, high } = bracketOf(evidence);
  if (low === null && ceiling.load <= settings.least)
    return { end: 'generator_limited', reason: `not even the lowest load could be sent: ${ceiling.why}` };
  if (evidence.length >= mostSteps)
    return { end: 'undecided', reason: `${String(evidence.length)} steps did not find where it breaks` };
  if (low === null && high === null) return climb(settings.least, evidence);
  if (low === null) return atLeast(settings, evidence);
  if (high === null || high >= ceiling.load) return upwards(state, { low, evidence });
  return planNarrowing(state, { low, high, evidence });
}

/** A quick step of a load that said too little is not repeated: a full one says more. */
function climb(load: number, evidence: readonly Shown[]): Decision {
  const isTried = evidence.some(({ step }) => step.load === load);
  return { play: { load, purpose: 'climb', certainty: isTried ? 'full' : 'quick' } };
}

/** Nothing holds: the lowest load again, until that is certain. */
function atLeast({ least }: SearchSettings, evidence: readonly Shown[]): Decision {
  const claim = claimsOf(evidence).broken.find(({ load }) => load === least);
  if (claim !== undefined && isConfirmed(claim))
    return { end: 'fails_at_least', reason: `it is broken at ${String(least)}, the lowest load that may be tried` };
  return confirm(least, evidence);
}

function upwards(
  { settings, ceiling }: SearchState,
  { low, evidence }: { low: number; evidence: readonly Shown[] },
): Decision {
  const { most, by } = settings;
  if (ceiling.load < Infinity) return below(ceiling, { low, evidence, by });
  if (low < most) return climb(Math.min(most, roundLoad(low * climbFactor, by)), evidence);
  if (isShown(claimsOf(evidence).holding, most))
    return { end: 'holds_at_most', reason: `it holds at ${String(most)}, the highest load that may be tried` };
  return confirm(most, evidence);
}
