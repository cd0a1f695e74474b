import { listFirst } from '../../base/format.ts';
import { isSearched, seriesInReach } from '../../compare/trend/build-history.ts';
import { minPoints } from '../../compare/trend/scan.ts';
import type { EventChange, PublishedMetric, Trend, TrendEvent, TrendGroup } from '../../compare/trend/trend.ts';
import { countOf, formatCount } from '../../base/format.ts';
import { formatChange, formatFigure, formatRange } from '../words/format-change.ts';
import { failedLine, lastLine } from '../words/last-line.ts';
import { clean } from '../words/paragraph.ts';
import { markline, sparkline } from '../words/bars.ts';

/** A metric of a series as text, for any format. */
interface TrendRow {
  name: string;
  last: string;
  /** The nights in at most this number of characters. */
  spark: (max: number) => string;
  change: string;
  /** What that change means; null: there is none. */
  direction: EventChange['direction'] | null;
}

/** The number of series shown; further ones are usually older: an edited scenario starts another. */
const maxSeries = 3;

export function shownSeries({ groups }: Trend): readonly TrendGroup[] {
  return groups.slice(0, maxSeries);
}

/** What was looked at. */
export function scopeText({ results, groups, window, alpha }: Trend): string {
  return (
    `${countOf(results, 'result')} in ${countOf(groups.length, 'series', 'series')}; ` +
    `the last ${countOf(window, 'sitting')}, changes with p at most ${String(alpha)}`
  );
}

/** How many changes were found in how many series, and how many series were not searched and why. */
export function headlineText({ groups }: Trend): string {
  const searched = groups.filter(isSearched);
  const unsearched = unsearchedText(groups);
  if (searched.length === 0) return unsearched === '' ? 'No series' : unsearched;
  const changes = searched.reduce((sum, { events }) => sum + events.length, 0);
  const found = changes === 0 ? 'No change' : countOf(changes, 'change');
  const scope = `${found} in ${countOf(searched.length, 'series', 'series')}`;
  return unsearched === '' ? scope : `${scope} searched; ${unsearched}`;
}

const maxCounts = 5;
const fewFigures = `no metric has figures of ${formatCount(minPoints)} sittings`;

/** `2 series not searched: fewer than 10 sittings (8, 1)`; '' where each was searched. */
function unsearchedText(groups: readonly TrendGroup[]): string {
  const unsearched = groups.filter((group) => !isSearched(group));
  if (unsearched.length === 0) return '';
  const counts = unsearched.map(({ nights }) => nights.length);
  const few = counts.filter((count) => count < minPoints);
  const reasons = [
    ...(few.length === 0
      ? []
      : [`fewer than ${formatCount(minPoints)} sittings (${listFirst(few.map(formatCount), maxCounts)})`]),
    ...(few.length === counts.length ? [] : [fewFigures]),
  ];
  return `${countOf(unsearched.length, 'series', 'series')} not searched: ${reasons.join('; ')}`;
}

/** A row a metric; a last one marks the nights with degraded runs, where there are any. */
export function trendRows(group: TrendGroup): TrendRow[] {
  return [...group.metrics.map((metric) => rowOf(metric, group)), ...degradedRow(group)];
}

/** Whether a night has runs that are degraded by their own verdict. */
export function isDegraded({ degraded }: Pick<TrendGroup['nights'][number], 'degraded'>): boolean {
  return degraded > 0;
}

function degradedRow({ nights }: TrendGroup): TrendRow[] {
  if (!nights.some(isDegraded)) return [];
  const counts = nights.map(({ degraded }) => degraded);
  const spark = (max: number): string => markline(counts, max);
  return [{ name: 'degraded runs', last: formatCount(counts.at(-1) ?? 0), spark, change: '-', direction: null }];
}

const maxDegraded = 5;

/** The nights with runs that are degraded by their own verdict, the latest first; '' where none is known. */
function degradedText(group: TrendGroup, mark: string): string {
  const marked = group.nights
    .map((night, at) => ({ ...night, name: nightName(group, at) }))
    .filter(isDegraded)
    .toReversed();
  if (marked.length === 0) return '';
  const texts = marked.map(
    ({ name, degraded, runs }) => `${name} (${formatCount(degraded)} of ${countOf(runs, 'run')})`,
  );
  return `Degraded by their own verdict, read with care${mark}: ${listFirst(texts, maxDegraded)}.`;
}

function rowOf(metric: PublishedMetric, group: TrendGroup): TrendRow {
  const { nights, events } = group;
  const { name, unit, margin, points, segments } = metric;
  const values = nights.map((_, night) => points.find((point) => point.night === night)?.value ?? null);
  const newest = segments.at(-1);
  const step = events
    .flatMap(({ metrics }) => metrics)
    .find((change) => change.name === name && change.night === newest?.night);
  const minRange = 4 * (unit === 'share' ? margin : margin * Math.abs(newest?.value ?? 0));
  return {
    name: clean(name),
    last: points.length === 0 ? 'no data' : formatFigure(values.at(-1) ?? null, unit),
    spark: (max) => sparkline({ values, max, minRange }),
    change: step === undefined ? '-' : `${formatChange(step.change, unit)} since ${nightName(group, step.night)}`,
    direction: step?.direction ?? null,
  };
}

/** What to know of the nights when reading their figures: which are degraded (`mark`: how they are marked), and which metrics were not measured last. */
export function nightTexts(group: TrendGroup, mark = ' (! in the table)'): string[] {
  const degraded = degradedText(group, mark);
  return [...(degraded === '' ? [] : [degraded]), ...staleTexts(group)];
}

/** Metrics whose last figure is not of the last night: that it could not be measured is worth a line. */
function staleTexts(group: TrendGroup): string[] {
  const { metrics, nights } = group;
  return metrics.flatMap(({ name, unit, points }) => {
    const last = points.at(-1);
    const ago = nights.length - 1 - (last?.night ?? 0);
    if (last === undefined || ago === 0) return [];
    const figure = `${formatFigure(last.value, unit)} of ${nightName(group, last.night)}`;
    return [
      `${clean(name)} could not be measured in the last sitting: the last figure is ${figure}, ${countOf(ago, 'sitting')} before.`,
    ];
  });
}

/** Why there are no events, where there are none; `null` otherwise. */
export function quietText(group: TrendGroup): string | null {
  const { nights, events } = group;
  if (events.length > 0) return null;
  if (nights.length < minPoints)
    return `Changes are searched for from ${formatCount(minPoints)} sittings on; there ${nights.length === 1 ? 'is' : 'are'} ${formatCount(nights.length)}.`;
  return isSearched(group) ? 'No change.' : `Not searched: ${fewFigures}.`;
}

/** `turn.ok.p99 +12.0 % (95 % interval +8.0 to +16.0 %), 200 ms to 224 ms`. */
export function changeText({ name, change, ci95, before, after }: EventChange, group: TrendGroup): string {
  const unit = group.metrics.find((metric) => metric.name === name)?.unit ?? 'ms';
  const range = `${formatRange(ci95, unit)} ${unit === 'share' ? 'pp' : '%'}`;
  return `${clean(name)} ${formatChange(change, unit)} (95 % interval ${range}), ${formatFigure(before, unit)} to ${formatFigure(after, unit)}`;
}

/** In which result it first shows, and between which commits it came. */
export function originText({ file, commits, nightsSince }: TrendEvent): string {
  const ago = `${countOf(nightsSince, 'sitting')} since`;
  return `first in ${clean(file)}, ${commitsText(commits)}, ${ago}`;
}

/** Between which commits an event came. */
export function commitsText(commits: TrendEvent['commits']): string {
  if (commits === null) return 'commits unknown';
  const [before, after] = [commits.before, commits.after].map((commit) => clean(commit).slice(0, 10));
  return before === after ? `at the same commit ${String(before)}` : `commits ${String(before)}..${String(after)}`;
}

/** The last line where a verdict was asked for, like that of a run; `null` where none was. */
export function trendVerdictLine(trend: Trend): string | null {
  const { alarm } = trend;
  if (alarm === null) return null;
  return alarm.date === null
    ? lastLine('PASSED', unsearchedText(seriesInReach(trend, alarm.nights)))
    : failedLine(`a gated metric changed in the night of ${alarm.date}`);
}

/** How much more there is than shown. */
export function leftOutText({ groups }: Trend): string | null {
  const left = groups.length - maxSeries;
  if (left <= 0) return null;
  return `${countOf(left, 'more series', 'more series')} with older results: --scenario selects a scenario, --json lists all.`;
}

const maxSkipped = 5;

/** Warnings, and unusable files. */
export function warningTexts({ skipped, warnings }: Trend): string[] {
  const more = skipped.length - maxSkipped;
  return [
    ...warnings,
    ...skipped.slice(0, maxSkipped).map(({ file, problem }) => `${file} ${problem}`),
    ...(more > 0 ? [`${countOf(more, 'more file')} that cannot be used: --json lists all.`] : []),
  ];
}

/** `2026-11-03`; of several sittings of one day each with its time (UTC): `2026-11-03 02:05`, with seconds where needed. */
export function nightName({ nights }: TrendGroup, at: number): string {
  const night = nights[at];
  if (night === undefined) return '';
  const isAlone = (length: number): boolean =>
    nights.filter((other) => timeOf(other).slice(0, length) === timeOf(night).slice(0, length)).length === 1;
  const [day, minute, second] = [10, 16, 19];
  return clean(timeOf(night).slice(0, [day, minute].find(isAlone) ?? second));
}

const timeOf = ({ startedAt }: TrendGroup['nights'][number]): string => startedAt.replace('T', ' ');

/** The scenario of a series; what tells it apart where another of the trend is of the same name. */
export function seriesName(group: TrendGroup, { groups }: Trend): string {
  const alike = groups.filter(({ scenario }) => scenario.name === group.scenario.name);
  const differing = traits.flatMap((textOf) =>
    alike.some((other) => textOf(other) !== textOf(group)) ? [textOf(group)] : [],
  );
  const name = clean(group.scenario.name);
  return differing.length === 0 ? name : `${name} (${differing.join(', ')})`;
}

const scenarioText = ({ scenario: { hash } }: TrendGroup): string => `scenario ${clean(hash).slice(0, 8)}`;
const loadText = ({ loadHash }: TrendGroup): string => `load ${clean(loadHash).slice(0, 8)}`;
const machineText = ({ machineClass }: TrendGroup): string => clean(machineClass);
const traits = [scenarioText, loadText, machineText];

/** `smoke: 60 sittings, 2026-09-05 to 2026-11-03`. */
export function seriesText(group: TrendGroup, trend: Trend): string {
  const { nights, allNights } = group;
  const [first, last] = [nights.at(0)?.date ?? '', nights.at(-1)?.date ?? ''];
  const part = allNights > nights.length ? ` of ${formatCount(allNights)}` : '';
  return `${seriesName(group, trend)}: ${formatCount(nights.length)}${part} ${nights.length === 1 ? 'sitting' : 'sittings'}, ${first === last ? first : `${first} to ${last}`}`;
}

/** What has to be equal within the series. */
export function placeText(group: TrendGroup): string {
  return `${machineText(group)}; ${scenarioText(group)}, ${loadText(group)}`;
}
