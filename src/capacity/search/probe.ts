import type { SearchState } from './decision.ts';
import { seemsBroken } from './closeness.ts';
import type { SearchSettings } from './search.ts';
import type { Shown, StepAsked } from './step-runner.ts';

/** Less growth than this, for twice the concurrency, means that the service is busy. */
const leastGrowth = 1.15;
/** Share of the time of a search after which a probe ends without a limit. */
const maxPart = 0.1;

/**
 * The probe doubles the concurrency by short steps. By rate it ends when throughput hardly grows or an objective seems
 * broken: that throughput estimates the limit, in sessions per second. By concurrency it ends when an objective seems broken.
 */
export function planProbe({ settings, shown, ceiling }: SearchState): { play: StepAsked } | { limit: number } {
  const { by, least, most, maxLive } = settings;
  const probes = shown.filter(({ step }) => step.purpose === 'probe');
  const [first, highest] = by === 'concurrency' ? [least, most] : [1, maxLive];
  const last = probes.at(-1);
  const play = (load: number) => ({ play: { load, by: 'concurrency', purpose: 'probe', certainty: 'probe' } as const });
  if (last === undefined) return play(first);
  const { load, verdict } = last.step;
  // A busy moment of the machine is tried again, and a few slow turns.
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

/** Ten times what may be, which is no chance. */
const isFarOver = ({ objectives }: Shown['step']): boolean =>
  objectives.some(({ share, limit }) => share !== null && share >= 10 * limit);

function isLast(probes: readonly Shown[], settings: SearchSettings): boolean {
  const [previous, last] = [probes.at(-2), probes.at(-1)];
  if (last === undefined) return false;
  if (last.step.verdict === 'no_evidence')
    return previous?.step.verdict === 'no_evidence' && previous.step.load === last.step.load;
  const before = probes.findLast(({ step }) => step.verdict !== 'no_evidence' && step.load < last.step.load);
  const isBusy = before !== undefined && paceOf(last) < leastGrowth * paceOf(before);
  const isLate = last.endedMs > maxPart * (settings.maxDurationMs ?? Infinity);
  const isHighest = 2 * paceOf(last) > settings.most * settings.sessionTurns;
  return isBusy || isLate || isHighest || seemsBroken(last.step);
}

const paceOf = ({ pace }: Shown): number => pace?.turnsPerSecond ?? 0;

/** In the unit of the search. */
function limitOf(probes: readonly Shown[], { by, sessionTurns }: SearchSettings): number {
  if (by === 'concurrency') return Math.max(...probes.map(({ step }) => step.load));
  return Math.max(...probes.map(paceOf), slowest) / sessionTurns;
}

/** Turns per second, if none ended. */
const slowest = 0.01;
