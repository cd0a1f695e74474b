import { bracketOf } from './bracket.ts';
import { below, confirm, isShown } from './confirm-load.ts';
import type { Decision, SearchState } from './decision.ts';
import { claimsOf, isConfirmed } from './ends.ts';
import { planNarrowing } from './plan-narrowing.ts';
import { poolLoads } from './pool-loads.ts';
import { planProbe } from './probe.ts';
import { roundLoad } from './round-load.ts';
import type { SearchSettings } from './search.ts';
import type { Shown } from './step-runner.ts';

/** Whatever happens, a search ends. */
const mostSteps = 90;
/** Loads of the climb, as parts of the limit that the probe estimated; beyond them steps grow, from `climbFactor` to `maxFactor`. */
const rungs = [0.5, 0.7, 0.85, 1];
const climbFactor = 1.2;
const maxFactor = 2;
/** Below the lowest load that was tried. */
const descentFactor = 0.6;

/** Decides only by what was shown: probe, climb to the first load that is shown broken, narrow, confirm both ends. */
export function planStep(state: SearchState): Decision {
  const { settings, ceiling } = state;
  const evidence = state.shown.filter(({ step }) => step.verdict !== 'no_evidence' && step.by === undefined);
  const { low, high } = bracketOf(poolLoads(evidence));
  if (low === null && ceiling.load <= settings.least)
    return { end: 'generator_limited', reason: `not even the lowest load could be sent: ${ceiling.why}` };
  const probe = planProbe(state);
  if ('play' in probe) return probe;
  if (evidence.length >= mostSteps)
    return { end: 'undecided', reason: `${String(evidence.length)} steps did not find where it breaks` };
  if (high === null || high >= ceiling.load) return upwards(state, { low, evidence, limit: probe.limit });
  if (low === null) return downwards(settings, evidence);
  return planNarrowing(state, { low, high, evidence });
}

/** A quick step of a load that said too little is not repeated: a full one says more. */
function climb(load: number, evidence: readonly Shown[]): Decision {
  const isTried = evidence.some(({ step }) => step.load === load);
  return { play: { load, purpose: 'climb', certainty: isTried ? 'full' : 'quick' } };
}

/** Nothing holds: lower loads, and the lowest again until that is certain. */
function downwards({ least, by }: SearchSettings, evidence: readonly Shown[]): Decision {
  const lowest = Math.min(...evidence.map(({ step }) => step.load));
  if (lowest > least) return climb(Math.max(least, roundLoad(lowest * descentFactor, by)), evidence);
  const claim = claimsOf(evidence).broken.find(({ load }) => load === least);
  if (claim !== undefined && isConfirmed(claim))
    return { end: 'fails_at_least', reason: `it is broken at ${String(least)}, the lowest load that may be tried` };
  return confirm(least, evidence);
}

/** A load that is undecided lets the climb go on. */
function upwards(
  { settings, ceiling }: SearchState,
  { low, evidence, limit }: { low: number | null; evidence: readonly Shown[]; limit: number },
): Decision {
  const { least, most, by } = settings;
  if (ceiling.load < Infinity) return below(ceiling, { low: low ?? least, evidence, by });
  const highest = Math.max(0, ...evidence.map(({ step }) => step.load));
  const beyond = new Set(evidence.map(({ step }) => step.load).filter((load) => load >= limit)).size;
  const factor = Math.min(maxFactor, climbFactor ** Math.max(1, beyond));
  const wanted = [...rungs.map((part) => part * limit), highest * factor, highest + 1].map((load) =>
    Math.min(most, Math.max(least, roundLoad(load, by))),
  );
  const next = wanted.find((load) => load > highest);
  if (next !== undefined) return climb(next, evidence);
  if (isShown(claimsOf(evidence).holding, most))
    return { end: 'holds_at_most', reason: `it holds at ${String(most)}, the highest load that may be tried` };
  return confirm(most, evidence);
}
