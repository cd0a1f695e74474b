import type { StepPurpose } from '../document/step.ts';
import { below, confirm } from './confirm-load.ts';
import type { Decision, SearchState } from './decision.ts';
import { claimsOf, isConfirmed, type Claims } from './ends.ts';
import { estimateLimit, type LimitEstimate } from './estimate-limit.ts';
import { nextEnd } from './next-end.ts';
import { poolLoads } from './pool-loads.ts';
import { isNarrow, roundLoad } from './round-load.ts';
import type { Shown } from './step-runner.ts';

interface Narrowing {
  low: number;
  high: number;
  evidence: readonly Shown[];
}

/** Full steps, before the width that was asked for is given up. */
const mostFull = 40;
/** Quick steps between, before full ones tell more. */
const mostQuick = 8;
/** Turns that a full step needs to show the usual width. */
const neededTurns = 6000;
/** An estimate with a greater standard error, in parts of the width, is not worth a full step. */
const closeEnough = 0.3;

/** Between a load that seems to hold and one that seems broken. */
export function planNarrowing(state: SearchState, { low, high, evidence }: Narrowing): Decision {
  const { settings, ceiling } = state;
  const { width, by } = settings;
  const claims = claimsOf(evidence);
  if (isFound(claims, settings)) return { end: 'found', reason: 'both ends were shown twice' };
  const full = evidence.filter(({ certainty }) => certainty === 'full').length;
  if (full >= mostFull)
    return { end: 'undecided', reason: `${String(full)} full steps leave a wider interval than was asked for` };
  const estimate = estimateOf(claims, { low, high, evidence, width });
  if ((full === 0 || isWide(claims, width)) && isUncertain(estimate, { low, high, evidence, width, by })) {
    const load = roundLoad(estimate.load, by);
    // A quick step of a load that said too little is not repeated: a full one says more.
    const isTried = evidence.some(({ step }) => step.load === load);
    if (load > low && load < high && !isTried) return { play: { load, purpose: 'narrow', certainty: 'quick' } };
  }
  const times = roughTimes(claims, state);
  const wide = { ...settings, width: (1 + width) ** times - 1 };
  const load = nextEnd(claims, { estimate: estimate.load, settings: wide, evidence, isRough: times > 1 });
  if (load === null && low <= settings.least && claims.holding.length === 0) return confirm(settings.least, evidence);
  if (load === null)
    return { end: 'undecided', reason: 'between its ends every load is too near the limit for steps of this length' };
  if (load >= ceiling.load) return below(ceiling, { low, evidence, by });
  const purpose: StepPurpose = evidence.some(({ step }) => step.load === load) ? 'confirm' : 'narrow';
  return { play: { load, purpose, certainty: 'full', isRough: times > 1 } };
}

/** The limit can be on either side of an undecided load. */
function estimateOf(
  { holding, broken }: Claims,
  { low, high, evidence, width }: Narrowing & { width: number },
): LimitEstimate {
  const pooled = poolLoads(evidence);
  const near = pooled.filter(({ certainty, step }) => certainty === 'full' && step.verdict === 'undecided');
  const loads = near.map(({ step }) => step.load);
  return estimateLimit(pooled, {
    low: holding.at(-1)?.load ?? Math.min(low, ...loads.map((load) => load / (1 + width))),
    high: broken[0]?.load ?? Math.max(high, ...loads.map((load) => load * (1 + width))),
  });
}

/**
 * How many times the width full steps of this length can show, on a logarithmic scale; half of that once such an
 * interval was seen. A slow service gets a wide interval in time rather than none.
 */
function roughTimes({ holding, broken }: Claims, { settings: { width, by }, fullTurns }: SearchState): number {
  let times = Math.max(1, Math.sqrt(neededTurns / fullTurns));
  const isSeen = (factor: number): boolean =>
    holding.some((holds) =>
      broken.some(({ load }) => isNarrow({ low: holds.load, high: load }, (1 + width) ** factor - 1, by)),
    );
  while (times > 1 && isSeen(times)) times = Math.max(1, times / 2);
  return times;
}

/** Whether full steps leave the limit open by several widths. */
const isWide = ({ holding, broken }: Claims, width: number): boolean =>
  (broken[0]?.load ?? Infinity) > (holding.at(-1)?.load ?? 0) * (1 + width) ** 3;

const isFound = ({ holding, broken }: Claims, { width, by }: SearchState['settings']): boolean =>
  holding.some(
    (holds) =>
      isConfirmed(holds) &&
      broken.some((each) => isConfirmed(each) && isNarrow({ low: holds.load, high: each.load }, width, by)),
  );

function isUncertain(
  { error }: LimitEstimate,
  { low, high, evidence, width, by }: Narrowing & { width: number; by: SearchState['settings']['by'] },
): boolean {
  const quick = evidence.filter(({ certainty, step }) => certainty === 'quick' && step.purpose === 'narrow');
  return !isNarrow({ low, high }, width, by) && error > closeEnough * Math.log1p(width) && quick.length < mostQuick;
}
