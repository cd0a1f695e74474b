import { isConfirmed, type Claim, type Claims } from './ends.ts';
import { roundLoad } from './round-load.ts';
import type { SearchSettings } from './search.ts';
import type { Shown } from './step-runner.ts';

interface Known {
  /** Where the limit probably is. */
  estimate: number;
  settings: Pick<SearchSettings, 'by' | 'width' | 'least' | 'most'>;
  evidence: readonly Shown[];
  /** Whether one step is enough for an end. */
  isRough: boolean;
}

/** How far the lower end is placed below the estimate, in widths: steps begin with an idle service, which flatters it. */
const partBelow = { usual: 0.7, rough: 0.8 };
/** The least of it. */
const leastBelow = 0.45;
/** How far below the estimate, in widths, a load that holds can be an end. */
const mostBelow = 1.4;
/** How far the lower end is placed below an undecided or a broken load, in widths. */
const stepDown = { undecided: 0.25, broken: 0.4 };
/** Undecided full steps after which an end moves. */
const mostDoubts = { low: 2, high: 3 };
/** How far the lower end is raised when the limit is near the upper one, in widths. */
const stepUp = 0.45;

/**
 * Returns the load of the next full step. First the lower end, as near to the estimate as can be shown; then the upper
 * one, as far above it as the width allows. `null`: there is no room above the least load.
 */
export function nextEnd(claims: Claims, known: Known): number | null {
  const { settings, evidence } = known;
  const { least } = settings;
  const near = known.estimate / (1 + settings.width) ** mostBelow;
  const held = claims.holding.findLast((claim) => (known.isRough || isConfirmed(claim)) && claim.load >= near);
  const onceHeld = claims.holding.findLast((claim) => !isConfirmed(claim) && claim.load > (held?.load ?? 0));
  if (held === undefined) {
    if (onceHeld !== undefined && doubtsAt(onceHeld.load, evidence) < mostDoubts.low) return onceHeld.load;
    const low = lowerEnd(claims, known);
    const highest = claims.holding.findLast(isConfirmed)?.load ?? 0;
    if (low <= highest) return topOf(highest, settings);
    return low < least ? null : low;
  }
  const top = topOf(held.load, settings);
  const upper = upperEnd(claims.broken, held.load, top);
  if (upper !== top || doubtsAt(top, evidence) < mostDoubts.high) return upper;
  // The limit is near the upper end: try whether a higher load holds, so that both ends move up.
  const raised = roundTowards(held.load * (1 + settings.width) ** stepUp, held.load * 2, settings.by);
  const isFree = raised > held.load && raised < top && doubtsAt(raised, evidence) < doubtsAt(top, evidence);
  return isFree ? raised : top;
}

/** Prefers a load that broke once. */
function upperEnd(broken: readonly Claim[], held: number, top: number): number {
  return broken.findLast(({ load }) => load > held && load <= top)?.load ?? top;
}

function lowerEnd({ broken }: Claims, { estimate, settings: { by, width, least }, evidence, isRough }: Known): number {
  const most = isRough ? 1 : mostDoubts.low;
  const doubtful = [...new Set(evidence.filter(({ certainty }) => certainty === 'full').map(({ step }) => step.load))]
    .filter((load) => doubtsAt(load, evidence) >= most)
    .map((load) => load / (1 + width) ** stepDown.undecided);
  const below = broken.map(({ load }) => load / (1 + width) ** stepDown.broken);
  const near = estimate / (1 + width) ** (isRough ? partBelow.rough : partBelow.usual);
  // A little higher if the upper end is then a load that was seen broken.
  const broke = evidence.filter(({ step }) => step.verdict === 'broken').map(({ step }) => step.load);
  const facing = Math.min(Infinity, ...broke) / (1 + width);
  const isFacing = facing > near && facing < estimate / (1 + width) ** leastBelow;
  const wanted = Math.min(isFacing ? facing : near, ...doubtful, ...below);
  // Steps of one load are judged together: repeat a near one.
  const tried = evidence.findLast(
    ({ certainty, step }) =>
      certainty === 'full' &&
      step.load <= Math.min(...doubtful, ...below, Infinity) &&
      doubtsAt(step.load, evidence) < most &&
      Math.abs(Math.log(step.load / wanted)) < 0.25 * Math.log1p(width),
  );
  return tried?.step.load ?? (wanted < least ? least : roundTowards(wanted, estimate, by));
}

const doubtsAt = (load: number, evidence: readonly Shown[]): number =>
  evidence.filter(({ certainty, step }) => certainty === 'full' && step.load === load && step.verdict === 'undecided')
    .length;

/** The highest load that keeps the width. */
const topOf = (low: number, { by, width, most }: Known['settings']): number =>
  Math.min(
    most,
    by === 'concurrency'
      ? Math.max(low + 1, Math.floor(low * (1 + width) + 1e-9))
      : roundTowards(low * (1 + width), low, by),
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
