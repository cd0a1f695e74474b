import { adjustForFamily } from '../../statistics/differences.ts';
import type { Gate } from '../gates/gates.ts';
import type { Interval } from '../sections/intervals.ts';
import type { Drift, SeriesDrift } from '../sections/drift.ts';
import { generatorSeries, serviceSeries } from '../metrics/metrics.ts';
import type { DriftSeries, FollowedPlan } from '../metrics/drift-series.ts';
import { steadyWindow, type Timing, openTimes } from './drift-window.ts';
import { hourMs, driftLimits } from './find-crossing.ts';
import { endOf, followSeries, type Followed, type FollowedRun } from './follow-series.ts';
import { judgeSeries, tooShortSeries } from './judge-series.ts';

/** Minimum duration; a shorter run does not allow conclusions about an hour. */
const minMs = 300_000;
const minIntervals = 60;

export interface DriftParts {
  plan: Timing & FollowedPlan;
  intervals: readonly Interval[];
  gates: readonly Gate[];
}

/** Checks whether anything changed during a run. Takes about 0.1 ms per interval. */
export function buildDrift({ plan, intervals, gates }: DriftParts): Drift {
  const window = steadyWindow(intervals, plan);
  const [fromMs, toMs] = [window[0]?.startMs ?? 0, endOf(window)];
  const compareMs = toMs - fromMs >= 2 * hourMs ? hourMs : (toMs - fromMs) / 5;
  const isLong = toMs - fromMs >= minMs && window.length >= minIntervals;
  const run = isLong ? { intervals: window, times: openTimes(window) } : undefined;
  const asked = { plan, gates, run, fromMs, toMs, compareMs };
  const service = judgeSeriesFamily(
    serviceSeries.filter(({ isApplicable }) => isApplicable?.(plan) ?? true),
    asked,
  );
  const generator = judgeSeriesFamily(generatorSeries, asked);
  const series = [...service, ...generator];
  return { service: overall(service), generator: overall(generator), fromMs, toMs, compareMs, series };
}

interface DriftInputs extends Pick<DriftParts, 'plan' | 'gates'> {
  /** `undefined`: too short to judge. */
  run: FollowedRun | undefined;
  fromMs: number;
  toMs: number;
  compareMs: number;
}

/** Adjusts p over the series of one side: the more series, the more likely one of them drifts by chance. */
function judgeSeriesFamily(family: readonly DriftSeries[], asked: DriftInputs): SeriesDrift[] {
  const { run, plan, gates } = asked;
  if (run === undefined)
    return family.map((series) =>
      tooShortSeries(series, 'at least 5 minutes of steady load in 60 intervals are needed'),
    );
  const followed = family.map((series) => followSeries(run, series));
  const ps = adjustForFamily(followed.flatMap((each) => each?.trend.p ?? []));
  let next = 0;
  return family.map((series, index) => {
    const each: Followed | undefined = followed[index];
    if (each === undefined)
      return tooShortSeries(series, series.subject === 'generator' ? 'not measured' : 'too few turns');
    const limits = driftLimits(series, gates, plan);
    return { ...judgeSeries(series, each, { p: ps[next++] ?? 1, limits }), ...endsOf(run, series, asked) };
  });
}

function endsOf(
  { intervals, times }: FollowedRun,
  series: DriftSeries,
  { fromMs, toMs, compareMs }: DriftInputs,
): Pick<SeriesDrift, 'first' | 'last'> {
  const before = intervals.findLastIndex(({ startMs, lengthMs }) => startMs + lengthMs <= fromMs + compareMs) + 1;
  const after = intervals.findIndex(({ startMs }) => startMs >= toMs - compareMs);
  const read = (from: number, to: number): number | null =>
    series.read({ intervals: intervals.slice(from, to), from, to, times }) ?? null;
  return { first: read(0, before), last: read(after, intervals.length) };
}

function overall(series: readonly SeriesDrift[]): Drift['service'] {
  if (series.some(({ verdict }) => verdict === 'drift')) return 'drift';
  return series.some(({ verdict }) => verdict === 'none') ? 'none' : 'too_short';
}
