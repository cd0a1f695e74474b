import { bracketOf, seemsBroken } from './estimate-limit.ts';
import { below, confirm, isShown, claimsOf, isConfirmed, poolLoads } from './ends.ts';
import {
  type Decision,
  type SearchState,
  roundLoad,
  type SearchSettings,
  type Shown,
  type StepRequest,
} from './search.ts';
import { planNarrowing } from './plan-narrowing.ts';

/** Maximum number of steps, so that every search ends. */
const maxSteps = 90;
/** Loads of the climb, as parts of the limit that the probe estimated; above them loads grow by factors from `climbFactor` to `maxFactor`. */
const rungs = [0.5, 0.7, 0.85, 1];
const climbFactor = 1.2;
const maxFactor = 2;
const descentFactor = 0.6;

/** Plans the next step by the evidence alone: probe, climb to the first load that is shown broken, narrow, confirm both ends. */
export function planStep(state: SearchState): Decision {
  const { settings, ceiling } = state;
  const evidence = state.shown.filter(({ step }) => step.verdict !== 'no_evidence' && step.by === undefined);
  const { low, high } = bracketOf(poolLoads(evidence));
  if (low === null && ceiling.load <= settings.min)
    return { end: 'generator_limited', reason: `the minimum load could not be sent: ${ceiling.why}` };
  const probe = planProbe(state);
  if ('play' in probe) return probe;
  if (evidence.length >= maxSteps)
    return { end: 'undecided', reason: `${String(evidence.length)} steps did not find a load that fails` };
  if (high === null || high >= ceiling.load) return upwards(state, { low, evidence, limit: probe.limit });
  if (low === null) return downwards(settings, evidence);
  return planNarrowing(state, { low, high, evidence });
}

/** Repeats a load with a full step: a quick one that stayed undecided is not repeated. */
function climb(load: number, evidence: readonly Shown[]): Decision {
  const isTried = evidence.some(({ step }) => step.load === load);
  return { play: { load, purpose: 'climb', certainty: isTried ? 'full' : 'quick' } };
}

/** Nothing holds: tries lower loads, and repeats the minimum until it is certain. */
function downwards({ min, by }: SearchSettings, evidence: readonly Shown[]): Decision {
  const lowest = Math.min(...evidence.map(({ step }) => step.load));
  if (lowest > min) return climb(Math.max(min, roundLoad(lowest * descentFactor, by)), evidence);
  const claim = claimsOf(evidence).broken.find(({ load }) => load === min);
  if (claim !== undefined && isConfirmed(claim))
    return { end: 'fails_at_min', reason: `an objective fails at ${String(min)}, the minimum load` };
  return confirm(min, evidence);
}

/** An undecided load does not stop the climb. */
function upwards(
  { settings, ceiling }: SearchState,
  { low, evidence, limit }: { low: number | null; evidence: readonly Shown[]; limit: number },
): Decision {
  const { min, max, by } = settings;
  if (ceiling.load < Infinity) return below(ceiling, { low: low ?? min, evidence, by });
  const highest = Math.max(0, ...evidence.map(({ step }) => step.load));
  const beyond = new Set(evidence.map(({ step }) => step.load).filter((load) => load >= limit)).size;
  const factor = Math.min(maxFactor, climbFactor ** Math.max(1, beyond));
  const wanted = [...rungs.map((part) => part * limit), highest * factor, highest + 1].map((load) =>
    Math.min(max, Math.max(min, roundLoad(load, by))),
  );
  const next = wanted.find((load) => load > highest);
  if (next !== undefined) return climb(next, evidence);
  if (isShown(claimsOf(evidence).holding, max))
    return { end: 'holds_at_max', reason: `all objectives hold at ${String(max)}, the maximum load` };
  return confirm(max, evidence);
}

/** Minimum throughput growth for twice the concurrency; below it the service is busy. */
const minGrowth = 1.15;
/** Share of the duration of a search after which a probe ends without a limit. */
const maxPart = 0.1;

/**
 * Plans the probe, which doubles the concurrency in short steps. By rate it ends when throughput hardly grows or an
 * objective seems broken: that throughput estimates the limit. By concurrency it ends when an objective seems broken.
 */
function planProbe({ settings, shown, ceiling }: SearchState): { play: StepRequest } | { limit: number } {
  const { by, min, max, maxLive } = settings;
  const probes = shown.filter(({ step }) => step.purpose === 'probe');
  const [first, highest] = by === 'concurrency' ? [min, max] : [1, maxLive];
  const last = probes.at(-1);
  const play = (load: number) => ({ play: { load, by: 'concurrency', purpose: 'probe', certainty: 'probe' } as const });
  if (last === undefined) return play(first);
  const { load, verdict } = last.step;
  // Repeat a load after a busy moment of the machine, or a few slow turns.
  const isDoubtful = seemsBroken(last.step) && !isFarOver(last.step) && probes.at(-2)?.step.load !== load;
  const isSpoilt = verdict === 'no_evidence' || isDoubtful;
  const isOver = isDoubtful
    ? false
    : by === 'concurrency'
      ? ceiling.load < Infinity || seemsBroken(last.step)
      : isLast(probes, settings);
  if (isOver || (load >= highest && !isSpoilt)) return { limit: limitOf(probes, settings) };
  return play(isSpoilt ? load : Math.min(highest, 2 * load));
}

/** Reports whether ten times the allowed share was exceeded, which is not chance. */
const isFarOver = ({ objectives }: Shown['step']): boolean =>
  objectives.some(({ share, limit }) => share !== null && share >= 10 * limit);

function isLast(probes: readonly Shown[], settings: SearchSettings): boolean {
  const [previous, last] = [probes.at(-2), probes.at(-1)];
  if (last === undefined) return false;
  if (last.step.verdict === 'no_evidence')
    return previous?.step.verdict === 'no_evidence' && previous.step.load === last.step.load;
  const before = probes.findLast(({ step }) => step.verdict !== 'no_evidence' && step.load < last.step.load);
  const isBusy = before !== undefined && paceOf(last) < minGrowth * paceOf(before);
  const isLate = last.endedMs > maxPart * (settings.maxDurationMs ?? Infinity);
  const isHighest = 2 * paceOf(last) > settings.max * settings.sessionTurns;
  return isBusy || isLate || isHighest || seemsBroken(last.step);
}

const paceOf = ({ pace }: Shown): number => pace?.turnsPerSecond ?? 0;

function limitOf(probes: readonly Shown[], { by, sessionTurns }: SearchSettings): number {
  if (by === 'concurrency') return Math.max(...probes.map(({ step }) => step.load));
  return Math.max(...probes.map(paceOf), slowest) / sessionTurns;
}

const slowest = 0.01;
