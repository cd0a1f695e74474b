import { formatCount, formatElapsed, formatMs } from '../../base/format.ts';
import type { Forecast } from '../../plan/forecast.ts';
import type { Plan } from '../../plan/plan.ts';
import { meanOf, maxTurns, turnsUpTo } from '../../plan/distributions.ts';
import { recordedNames, type SeriesName } from '../../record/series.ts';
import { seriesTable } from '../../record/series-table.ts';
import type { Metric } from '../metrics/metric.ts';
import { minMeasuredMs } from '../metrics/latency-metrics.ts';
import { metricNamed } from '../metrics/metrics.ts';

/** Describes why a scenario can never provide the data of a gate; `undefined`: it can. */
export function problemOfFeed(name: string, plan: Plan): string | undefined {
  const { target, integrity, load, retry } = plan;
  const metric = metricNamed(name);
  if (metric === undefined) return undefined;
  if (!target.stream && isOfStreams(metric)) return 'measures streamed replies: set target.stream (--stream)';
  if (!target.createsSessions && isOfCreations(metric))
    return `measures the creation of sessions, but ${target.protocol} creates none`;
  if (integrity.mode === 'off' && name.startsWith('integrity.'))
    return 'measures the integrity of conversations, which is off: set integrity in the scenario';
  if (plan.model === undefined && isOfModelCalls(name))
    return 'measures the model calls of the agent, but there is no model service: set model in the scenario (--model-port)';
  if (plan.model?.delivered === false && name === 'model.delivered')
    return 'measures whether the replies of the model service reach the user: set model.delivered in the scenario';
  if (load.model === 'closed' && name.startsWith('sessionLateness.'))
    return 'measures sessions that start late under open load, but this load is closed: set sessionsPerSecond (--rate)';
  if (
    name.startsWith('backoff') &&
    retry.every(({ maxAttempts, classes }) => maxAttempts === 1 || classes.length === 0)
  )
    return 'measures backoffs before retries, but these sessions never retry: set retry in the scenario';
  return problemOfPosition(name, plan);
}

/** Turns that send tool results are added to the planned turns. */
function problemOfPosition(name: string, { turns, tools }: Plan): string | undefined {
  const position = positionOf(name);
  if (position === undefined || Object.keys(tools).length > 0) return undefined;
  const max = maxTurns(turns);
  if (position.first <= max) return undefined;
  return `measures turns from number ${String(position.first)} on, but sessions have at most ${formatCount(max)} turns: set turns in the scenario (--turns)`;
}

/** Describes the gates whose percentile or confidence interval needs more values than the run is forecast to have. */
export function shortGates(plan: Plan, forecast: Forecast): string[] {
  return Object.keys(plan.gates).flatMap((name) => {
    const metric = metricNamed(name);
    const supply = supplyOf(name, plan, forecast);
    if (metric?.minimum === undefined || supply === undefined) return [];
    const isConfident = plan.confidentGates.includes(name);
    const needs = (isConfident ? metric.intervalMinimum : undefined) ?? metric.minimum;
    const measuredMs = forecast.durationMs === null ? Infinity : Math.max(0, forecast.durationMs - plan.warmUpMs);
    const isTimely = !isConfident || measuredMs >= minMeasuredMs;
    const { has, what, isOfLength } = supply;
    if (has >= needs && isTimely) return [];
    const of = isConfident ? `${name} with its interval` : name;
    const length = isConfident && Number.isFinite(measuredMs);
    const needed = `${formatCount(needs)} ${what}${length ? ` and ${formatElapsed(minMeasuredMs)}` : ''}`;
    const forecasted = `${formatCount(Math.floor(has))}${length ? ` and ${formatMs(measuredMs)}` : ''}`;
    const words = `${of} needs ${needed}; this run has about ${forecasted}`;
    if (!isOfLength) return [`${words}: connections stay open, so use more concurrent sessions`];
    const times = Math.max(needs / has, isConfident ? minMeasuredMs / measuredMs : 0);
    return [Number.isFinite(times) ? words + longerBy(times, plan, forecast) : words];
  });
}

/** Returns the options that make a run so many times as long, as the end of a sentence; '' if none is known to. */
function longerBy(times: number, { sessions, durationMs, warmUpMs }: Plan, forecast: Forecast): string {
  if (forecast.sessions === null) return '';
  const needed = Math.ceil(forecast.sessions * times);
  if (durationMs === null || forecast.sessions === sessions) return `: --sessions ${String(needed)}`;
  const neededMs = warmUpMs + Math.max(0, durationMs - warmUpMs) * times;
  const more = sessions === null || sessions >= needed ? '' : ` --sessions ${String(needed)}`;
  return `: --duration ${String(Math.ceil(neededMs / 1000))}s${more}`;
}

interface Supply {
  has: number;
  what: 'turns' | 'sessions' | 'connections';
  /** True if a longer run has more of them. */
  isOfLength: boolean;
}

/** Returns `undefined` if the number is unknown, because the service determines the number of gaps, failures and retries. */
function supplyOf(
  name: string,
  { idleConnectionMs, turns: distribution, thinkTime }: Plan,
  forecast: Forecast,
): Supply | undefined {
  const { sessions, turns, peakLiveSessions } = forecast;
  if (turns === null || sessions === null || /^gap|^backoff|^model\.|\.failed\./.test(name)) return undefined;
  if (/^sessionCreate\.|^sessionLateness\./.test(name)) return { has: sessions, what: 'sessions', isOfLength: true };
  if (name.startsWith('connect.') && meanOf(thinkTime) < idleConnectionMs)
    return { has: Math.min(peakLiveSessions, turns), what: 'connections', isOfLength: false };
  const position = positionOf(name);
  if (position === undefined) return { has: turns, what: 'turns', isOfLength: true };
  const { first, last } = position;
  const has = sessions * (turnsUpTo(distribution, last) - turnsUpTo(distribution, first - 1));
  return { has, what: 'turns', isOfLength: true };
}

/** Returns the turn numbers that a metric is limited to; `undefined`: it is not limited. */
function positionOf(name: string): { first: number; last: number } | undefined {
  const [, first, range, last] = /^position\.(\d+)(-(\d+)|\+)?\./.exec(name) ?? [];
  if (first === undefined) return undefined;
  return { first: Number(first), last: range === '+' ? Infinity : Number(last ?? first) };
}

const isOfModelCalls = (name: string): boolean =>
  /^(drift\.)?model\.|^cost\.(orphaned|repeated|afterReply)$/.test(name);

const namesWhere = (isWanted: (series: (typeof seriesTable)[number]) => boolean): ReadonlySet<SeriesName> =>
  new Set(seriesTable.filter(isWanted).flatMap((series) => recordedNames(series)));
const ofStreams = namesWhere(({ isOfStreams: is }) => is);
const ofCreations = namesWhere(({ name }) => name === 'sessionCreate');

const isOfStreams = ({ name, series = [] }: Metric): boolean =>
  name.startsWith('stream.') || series.some((each) => ofStreams.has(each));
const isOfCreations = ({ name, series = [] }: Metric): boolean =>
  name === 'sessions.createFailedShare' || series.some((each) => ofCreations.has(each));
