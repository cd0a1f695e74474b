import type { StepPurpose } from '../document/step.ts';
import { below, confirm, claimsOf, isConfirmed, type Claims, poolLoads } from './ends.ts';
import { type Decision, type SearchState, isNarrow, roundLoad, type SearchSettings, type Shown } from './search.ts';
import { estimateLimit, type LimitEstimate } from './estimate-limit.ts';

interface Narrowing {
  low: number;
  high: number;
  evidence: readonly Shown[];
}

/** Maximum number of full steps before the requested tolerance is abandoned. */
const maxFull = 40;
/** Maximum number of quick steps before full ones show more. */
const maxQuick = 8;
/** Number of turns that a full step needs to show the usual tolerance. */
const neededTurns = 6000;
/** Maximum standard error of an estimate that is worth a full step, in parts of the tolerance. */
const closeEnough = 0.3;

/** Plans the next step between a load that seems to hold and one that seems broken. */
export function planNarrowing(state: SearchState, { low, high, evidence }: Narrowing): Decision {
  const { settings, ceiling } = state;
  const { tolerance, by } = settings;
  const claims = claimsOf(evidence);
  if (isFound(claims, settings)) return { end: 'found', reason: 'both ends were shown twice' };
  const full = evidence.filter(({ certainty }) => certainty === 'full').length;
  if (full >= maxFull)
    return { end: 'undecided', reason: `${String(full)} full steps leave a wider interval than the tolerance` };
  const estimate = estimateOf(claims, { low, high, evidence, tolerance });
  if ((full === 0 || isWide(claims, tolerance)) && isUncertain(estimate, { low, high, evidence, tolerance, by })) {
    const load = roundLoad(estimate.load, by);
    // A quick step is not repeated at a load that stayed undecided: a full one shows more.
    const isTried = evidence.some(({ step }) => step.load === load);
    if (load > low && load < high && !isTried) return { play: { load, purpose: 'narrow', certainty: 'quick' } };
  }
  const times = roughTimes(claims, state);
  const wide = { ...settings, tolerance: (1 + tolerance) ** times - 1 };
  const load = nextEnd(claims, { estimate: estimate.load, settings: wide, evidence, isRough: times > 1 });
  if (load === null && low <= settings.min && claims.holding.length === 0) return confirm(settings.min, evidence);
  if (load === null)
    return {
      end: 'undecided',
      reason: 'every load between the ends is too close to the limit for steps of this length',
    };
  if (load >= ceiling.load) return below(ceiling, { low, evidence, by });
  const purpose: StepPurpose = evidence.some(({ step }) => step.load === load) ? 'confirm' : 'narrow';
  return { play: { load, purpose, certainty: 'full', isRough: times > 1 } };
}

/** The limit can be on either side of an undecided load. */
function estimateOf(
  { holding, broken }: Claims,
  { low, high, evidence, tolerance }: Narrowing & { tolerance: number },
): LimitEstimate {
  const pooled = poolLoads(evidence);
  const near = pooled.filter(({ certainty, step }) => certainty === 'full' && step.verdict === 'undecided');
  const loads = near.map(({ step }) => step.load);
  return estimateLimit(pooled, {
    low: holding.at(-1)?.load ?? Math.min(low, ...loads.map((load) => load / (1 + tolerance))),
    high: broken[0]?.load ?? Math.max(high, ...loads.map((load) => load * (1 + tolerance))),
  });
}

/**
 * Returns the interval width that full steps of this length can show, in tolerances on a logarithmic scale; halved once
 * such an interval was shown. For a slow service, a wide interval in the available time is better than none.
 */
function roughTimes({ holding, broken }: Claims, { settings: { tolerance, by }, fullTurns }: SearchState): number {
  let times = Math.max(1, Math.sqrt(neededTurns / fullTurns));
  const isSeen = (factor: number): boolean =>
    holding.some((holds) =>
      broken.some(({ load }) => isNarrow({ low: holds.load, high: load }, (1 + tolerance) ** factor - 1, by)),
    );
  while (times > 1 && isSeen(times)) times = Math.max(1, times / 2);
  return times;
}

const isWide = ({ holding, broken }: Claims, tolerance: number): boolean =>
  (broken[0]?.load ?? Infinity) > (holding.at(-1)?.load ?? 0) * (1 + tolerance) ** 3;

const isFound = ({ holding, broken }: Claims, { tolerance, by }: SearchState['settings']): boolean =>
  holding.some(
    (holds) =>
      isConfirmed(holds) &&
      broken.some((each) => isConfirmed(each) && isNarrow({ low: holds.load, high: each.load }, tolerance, by)),
  );

function isUncertain(
  { error }: LimitEstimate,
  { low, high, evidence, tolerance, by }: Narrowing & { tolerance: number; by: SearchState['settings']['by'] },
): boolean {
  const quick = evidence.filter(({ certainty, step }) => certainty === 'quick' && step.purpose === 'narrow');
  return (
    !isNarrow({ low, high }, tolerance, by) && error > closeEnough * Math.log1p(tolerance) && quick.length < maxQuick
  );
}

interface Known {
  estimate: number;
  settings: Pick<SearchSettings, 'by' | 'tolerance' | 'min' | 'max'>;
  evidence: readonly Shown[];
  /** True if one step is enough for an end. */
  isRough: boolean;
}

/** Distance of the lower end below the estimate, in tolerances: steps begin with an idle service, which flatters it. */
const partBelow = { usual: 0.7, rough: 0.8 };
/** Minimum distance below the estimate. */
const minBelow = 0.45;
/** Maximum distance below the estimate of a holding load that can be an end, in tolerances. */
const maxBelow = 1.4;
/** Distance of the lower end below an undecided or a broken load, in tolerances. */
const stepDown = { undecided: 0.25, broken: 0.4 };
/** Number of undecided full steps after which an end of the interval moves. */
const maxDoubts = { low: 2, high: 3 };
/** Distance by which the lower end is raised when the limit is close to the upper one, in tolerances. */
const stepUp = 0.45;

/**
 * Returns the load of the next full step. First the lower end, as close to the estimate as can be shown; then the upper
 * one, as far above it as the tolerance allows. `null`: there is no room above the minimum load.
 */
function nextEnd(claims: Claims, known: Known): number | null {
  const { settings, evidence } = known;
  const { min } = settings;
  const near = known.estimate / (1 + settings.tolerance) ** maxBelow;
  const held = claims.holding.findLast((claim) => (known.isRough || isConfirmed(claim)) && claim.load >= near);
  const onceHeld = claims.holding.findLast((claim) => !isConfirmed(claim) && claim.load > (held?.load ?? 0));
  if (held === undefined) {
    if (onceHeld !== undefined && doubtsAt(onceHeld.load, evidence) < maxDoubts.low) return onceHeld.load;
    const low = lowerEnd(claims, known);
    const highest = claims.holding.findLast(isConfirmed)?.load ?? 0;
    if (low <= highest) return topOf(highest, settings);
    return low < min ? null : low;
  }
  const top = topOf(held.load, settings);
  const upper = claims.broken.findLast(({ load }) => load > held.load && load <= top)?.load ?? top;
  if (upper !== top || doubtsAt(top, evidence) < maxDoubts.high) return upper;
  // The limit is near the upper end: try whether a higher load holds, so that both ends move up.
  const raised = roundTowards(held.load * (1 + settings.tolerance) ** stepUp, held.load * 2, settings.by);
  const isFree = raised > held.load && raised < top && doubtsAt(raised, evidence) < doubtsAt(top, evidence);
  return isFree ? raised : top;
}

function lowerEnd(
  { broken }: Claims,
  { estimate, settings: { by, tolerance, min }, evidence, isRough }: Known,
): number {
  const max = isRough ? 1 : maxDoubts.low;
  const doubtful = [...new Set(evidence.filter(({ certainty }) => certainty === 'full').map(({ step }) => step.load))]
    .filter((load) => doubtsAt(load, evidence) >= max)
    .map((load) => load / (1 + tolerance) ** stepDown.undecided);
  const below = broken.map(({ load }) => load / (1 + tolerance) ** stepDown.broken);
  const near = estimate / (1 + tolerance) ** (isRough ? partBelow.rough : partBelow.usual);
  // Chooses a slightly higher load if that load was already shown broken.
  const broke = evidence.filter(({ step }) => step.verdict === 'broken').map(({ step }) => step.load);
  const facing = Math.min(Infinity, ...broke) / (1 + tolerance);
  const isFacing = facing > near && facing < estimate / (1 + tolerance) ** minBelow;
  const wanted = Math.min(isFacing ? facing : near, ...doubtful, ...below);
  // Steps of one load are judged together: repeat a near one.
  const tried = evidence.findLast(
    ({ certainty, step }) =>
      certainty === 'full' &&
      step.load <= Math.min(...doubtful, ...below, Infinity) &&
      doubtsAt(step.load, evidence) < max &&
      Math.abs(Math.log(step.load / wanted)) < 0.25 * Math.log1p(tolerance),
  );
  return tried?.step.load ?? (wanted < min ? min : roundTowards(wanted, estimate, by));
}

const doubtsAt = (load: number, evidence: readonly Shown[]): number =>
  evidence.filter(({ certainty, step }) => certainty === 'full' && step.load === load && step.verdict === 'undecided')
    .length;

const topOf = (low: number, { by, tolerance, max }: Known['settings']): number =>
  Math.min(
    max,
    by === 'concurrency'
      ? Math.max(low + 1, Math.floor(low * (1 + tolerance) + 1e-9))
      : roundTowards(low * (1 + tolerance), low, by),
  );

/** Rounds to whole sessions, or to the third digit of a rate. */
function roundTowards(load: number, towards: number, by: SearchSettings['by']): number {
  const unit = by === 'concurrency' ? 1 : 10 ** (Math.floor(Math.log10(load)) - 2);
  const units = load / unit;
  return Math.max(
    by === 'concurrency' ? 1 : 0,
    roundLoad((load > towards ? Math.floor(units + 1e-9) : Math.ceil(units - 1e-9)) * unit, by),
  );
}
