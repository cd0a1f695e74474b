import type { StepPurpose } from '../document/step.ts';
import { below, confirm } from './confirm-load.ts';
import type { Decision, SearchState } from './decision.ts';
import { claimsOf, isConfirmed, type Claim, type Claims } from './ends.ts';
import { estimateLimit, type LimitEstimate } from './estimate-limit.ts';
import { placeEnd } from './place-end.ts';
import { isNarrow, roundLoad } from './round-load.ts';
import type { Shown } from './step-runner.ts';

interface Narrowing {
  low: number;
  high: number;
  evidence: readonly Shown[];
}

/** Full steps, before the width that was asked for is given up. */
const mostFull = 24;
/** So many full steps of an end say nothing, and another one is looked for. */
const mostDoubts = 1;
/** So many, where there is no other. */
const mostTries = 4;
/** Quick steps between, before full ones tell more. */
const mostQuick = 8;
/** An estimate with a greater standard error, in parts of the width, is not worth a full step. */
const closeEnough = 0.3;

/** Between a load that seems to hold and one that seems broken. */
export function planNarrowing(state: SearchState, { low, high, evidence }: Narrowing): Decision {
  const { settings, ceiling } = state;
  const { width, by } = settings;
  const claims = withoutDoubtful(claimsOf(evidence), evidence);
  const pair = bestPair(claims, (ends) => isNarrow(ends, width, by));
  if (pair !== null) return confirmPair(pair);
  const full = evidence.filter(({ certainty }) => certainty === 'full').length;
  if (full >= mostFull)
    return { end: 'undecided', reason: `${String(full)} full steps leave a wider interval than was asked for` };
  const estimate = estimateLimit(evidence, { low, high });
  if (isRough(estimate, { low, high, evidence, width, by })) {
    const load = roundLoad(estimate.load, by);
    // A quick step of a load that said too little is not repeated: a full one says more.
    const isTried = evidence.some(({ step }) => step.load === load);
    if (load > low && load < high && !isTried) return { play: { load, purpose: 'narrow', certainty: 'quick' } };
  }
  const load = placeEnd(claims, { estimate: estimate.load, settings, evidence, fullMs: state.fullMs });
  if (load === null && low <= settings.least && claims.holding.length === 0) return confirm(settings.least, evidence);
  if (load === null) return again(evidence, settings);
  if (load >= ceiling.load) return below(ceiling, { low, evidence, by });
  const purpose: StepPurpose = evidence.some(({ step }) => step.load === load) ? 'confirm' : 'narrow';
  return { play: { load, purpose, certainty: 'full' } };
}

/** Nothing is left between the ends: those near enough that were doubtful get another try. */
function again(evidence: readonly Shown[], { width, by }: SearchState['settings']): Decision {
  const pair = bestPair(claimsOf(evidence), (ends) => isNarrow(ends, width, by));
  const next = pair && confirmPair(pair);
  if (next && 'play' in next && undecidedAt(next.play.load, evidence) < mostTries) return next;
  return { end: 'undecided', reason: 'between its ends every load is too near the limit for steps of this length' };
}

/** Without ends that are too near the limit to be shown again. */
function withoutDoubtful({ holding, broken }: Claims, evidence: readonly Shown[]): Claims {
  const isFirm = (claim: Claim): boolean => isConfirmed(claim) || undecidedAt(claim.load, evidence) < mostDoubts;
  return { holding: holding.filter(isFirm), broken: broken.filter(isFirm) };
}

const undecidedAt = (load: number, evidence: readonly Shown[]): number =>
  evidence.filter(({ certainty, step }) => certainty === 'full' && step.load === load && step.verdict === 'undecided')
    .length;

interface Pair {
  holds: Claim;
  broken: Claim;
}

/** Two ends that are near enough, those first that were shown most often. */
function bestPair({ holding, broken }: Claims, isNear: (ends: { low: number; high: number }) => boolean): Pair | null {
  const pairs = holding.flatMap((holds) =>
    broken.filter(({ load }) => isNear({ low: holds.load, high: load })).map((each) => ({ holds, broken: each })),
  );
  const timesOf = (pair: Pair): number => Math.min(2, pair.holds.steps.length) + Math.min(2, pair.broken.steps.length);
  return pairs.reduce<Pair | null>(
    (best, pair) => (best === null || timesOf(pair) > timesOf(best) ? pair : best),
    null,
  );
}

/** The end that holds comes first: it is seen once more behind a broken step. */
function confirmPair({ holds, broken }: Pair): Decision {
  if (!isConfirmed(holds)) return { play: { load: holds.load, purpose: 'confirm', certainty: 'full' } };
  if (!isConfirmed(broken)) return { play: { load: broken.load, purpose: 'confirm', certainty: 'full' } };
  return { end: 'found', reason: 'both ends were shown twice' };
}

function isRough(
  { error }: LimitEstimate,
  { low, high, evidence, width, by }: Narrowing & { width: number; by: SearchState['settings']['by'] },
): boolean {
  const quick = evidence.filter(({ certainty, step }) => certainty === 'quick' && step.purpose === 'narrow');
  return !isNarrow({ low, high }, width, by) && error > closeEnough * Math.log1p(width) && quick.length < mostQuick;
}
