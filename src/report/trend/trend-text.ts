import { isSearched, isWithoutVerdict, seriesInReach } from '../../compare/trend/build-history.ts';
import { minPoints } from '../../compare/trend/scan.ts';
import type { EventChange, PublishedMetric, Trend, TrendEvent, TrendGroup } from '../../compare/trend/trend.ts';
import { percentiles } from '../../result/percentiles/percentiles.ts';
import { countOf, formatCount, formatMs, listFirst } from '../../base/format.ts';
import { formatChange, formatFigure, formatRange, formatSides } from '../words/format-change.ts';
import { failedLine, invalidLine, lastLine } from '../words/last-line.ts';
import { clean } from '../words/paragraph.ts';
import { markline, sparkline } from '../words/bars.ts';

/** A metric of a series as text. */
interface TrendRow {
  name: string;
  last: string;
  /** Draws the nights in at most `max` characters. */
  spark: (max: number) => string;
  change: string;
  /** Direction of the change; `null` without a change. */
  direction: EventChange['direction'] | null;
}

/** Number of series shown. Others are usually older, because editing a scenario starts a new series. */
const maxSeries = 3;

/** Returns the newest series, which are shown. */
export function shownSeries({ groups }: Trend): readonly TrendGroup[] {
  return groups.slice(0, maxSeries);
}

/** Describes the scope of a trend. */
export function scopeText({ results, groups, window, alpha }: Trend): string {
  return (
    `${countOf(results, 'result')} in ${countOf(groups.length, 'series', 'series')}; ` +
    `the last ${countOf(window, 'batch', 'batches')} of runs, changes with p ≤ ${String(alpha)}`
  );
}

/** Counts changes and series, and series that were not searched, with reasons. */
export function headlineText({ groups }: Trend): string {
  const searched = groups.filter(isSearched);
  const unsearched = unsearchedText(groups);
  if (searched.length === 0) return unsearched === '' ? 'No series' : unsearched;
  const changes = searched.reduce((sum, { events }) => sum + events.length, 0);
  const found = changes === 0 ? 'No change' : countOf(changes, 'change');
  const scope = `${found} in ${countOf(searched.length, 'series', 'series')}`;
  const notes = [unsearched, ...lackTexts(groups)].filter((words) => words !== '');
  return [unsearched === '' ? scope : `${scope} searched`, ...notes].join('; ');
}

type Night = TrendGroup['nights'][number];

/** Ways in which a batch of runs has no deciding latency. */
const lacks: readonly { has: (night: Night) => boolean; words: string }[] = [
  { has: ({ isDoubtful }) => isDoubtful, words: 'every deciding latency is doubtful' },
  { has: ({ lacksLatency }) => lacksLatency, words: 'there is no deciding latency' },
];

/** Counts batches of runs without any deciding latency, by reason. */
function lackTexts(groups: readonly TrendGroup[]): string[] {
  return lacks.flatMap(({ has, words }) => {
    const count = groups.flatMap(({ nights }) => nights.filter(has)).length;
    return count === 0 ? [] : [`${countOf(count, 'batch', 'batches')} of runs in which ${words}`];
  });
}

const maxCounts = 5;
const fewFigures = `no metric has values in ${formatCount(minPoints)} batches of runs`;

/** Describes series without enough history: `2 series not searched: change detection needs ...`; '' if there are none. */
function unsearchedText(groups: readonly TrendGroup[]): string {
  const unsearched = groups.filter((group) => !isSearched(group));
  if (unsearched.length === 0) return '';
  const counts = unsearched.map(({ nights }) => nights.length);
  const few = counts.filter((count) => count < minPoints);
  const reasons = [
    ...(few.length === 0
      ? []
      : [
          `change detection needs ${formatCount(minPoints)} batches of runs (found: ${listFirst(few.map(formatCount), maxCounts)})`,
        ]),
    ...(few.length === counts.length ? [] : [fewFigures]),
  ];
  return `${countOf(unsearched.length, 'series', 'series')} not searched: ${reasons.join('; ')}`;
}

/** Returns one row per metric, and a last one that marks nights with degraded runs, if any. */
export function trendRows(group: TrendGroup): TrendRow[] {
  return [...group.metrics.map((metric) => rowOf(metric, group)), ...degradedRow(group)];
}

function degradedRow({ nights }: TrendGroup): TrendRow[] {
  const counts = nights.map(({ degraded }) => degraded);
  if (counts.every((count) => count === 0)) return [];
  const spark = (max: number): string => markline(counts, max);
  return [{ name: 'degraded runs', last: formatCount(counts.at(-1) ?? 0), spark, change: '-', direction: null }];
}

const maxDegraded = 5;

/** Lists nights with degraded runs, the latest first; '' if there are none. */
function degradedText(group: TrendGroup, mark: string): string {
  const texts = group.nights
    .flatMap(({ degraded, runs }, at) =>
      degraded === 0 ? [] : [`${nightName(group, at)} (${formatCount(degraded)} of ${countOf(runs, 'run')})`],
    )
    .toReversed();
  return texts.length === 0 ? '' : `Degraded runs, less reliable${mark}: ${listFirst(texts, maxDegraded)}.`;
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

const maxOmitted = 5;

/** Lists the doubtful figures that were omitted, with the reason; '' if there are none. */
function doubtfulFiguresText({ metrics, nights }: TrendGroup): string {
  const texts = metrics.flatMap(({ name, omitted }) => {
    if (omitted.length === 0) return [];
    const errorMs = Math.max(...omitted.map((each) => each.errorMs));
    const scope = `${formatCount(omitted.length)} of ${countOf(nights.length, 'batch', 'batches')} of runs`;
    return [`${clean(name)} in ${scope} (up to ${formatMs(errorMs)} too high)`];
  });
  return texts.length === 0
    ? ''
    : `Doubtful figures omitted, because the generator read replies late: ${listFirst(texts, maxOmitted)}.`;
}

/** Lists nights without any deciding latency, the latest first; '' if there are none. */
function unjudgedTexts(group: TrendGroup): string[] {
  return lacks.flatMap(({ has, words }) => {
    const names = group.nights.flatMap((night, at) => (has(night) ? [nightName(group, at)] : [])).toReversed();
    return names.length === 0 ? [] : [`Not judged, because ${words}: ${listFirst(names, maxDegraded)}.`];
  });
}

/** Lists degraded nights (`mark` explains how they are marked), doubtful figures, and metrics that the last night lacks. */
export function nightTexts(group: TrendGroup, mark = ' (! in the table)'): string[] {
  const texts = [degradedText(group, mark), ...unjudgedTexts(group), doubtfulFiguresText(group)];
  return [...texts.filter((words) => words !== ''), ...staleTexts(group)];
}

/** Lists metrics that could not be measured in the last night. */
function staleTexts(group: TrendGroup): string[] {
  const { metrics, nights } = group;
  return metrics.flatMap(({ name, unit, points, omitted }) => {
    const last = points.at(-1);
    const isDoubtful = omitted.some(({ night }) => night === nights.length - 1);
    const why = isDoubtful ? ' (doubtful)' : needOf(name);
    const ago = nights.length - 1 - (last?.night ?? 0);
    if (last === undefined) return why === '' ? [] : [`${clean(name)} has no data${why}.`];
    if (ago === 0) return [];
    const figure = `${formatFigure(last.value, unit)} of ${nightName(group, last.night)}`;
    return [
      `${clean(name)} could not be measured in the last batch of runs${why}; its last value is ${figure}, ${countOf(ago, 'batch', 'batches')} earlier.`,
    ];
  });
}

/** Formats the number of values that a percentile needs: ` (p99 needs 662 values per run)`; '' for other metrics. */
function needOf(metric: string): string {
  const found = percentiles.find(({ name }) => metric.endsWith(`.${name}`));
  return found === undefined ? '' : ` (${found.name} needs ${formatCount(found.floor)} values per run)`;
}

/** Explains why there are no changes; `null` if there are some. */
export function quietText(group: TrendGroup): string | null {
  const { nights, events } = group;
  if (events.length > 0) return null;
  if (nights.length < minPoints)
    return `Not enough history: change detection needs ${formatCount(minPoints)} batches of runs; there ${nights.length === 1 ? 'is' : 'are'} ${formatCount(nights.length)}.`;
  if (!isSearched(group)) return `Not searched: ${fewFigures}.`;
  const unjudged = nights.filter((night) => lacks.some(({ has }) => has(night))).length;
  return unjudged === 0
    ? 'No change.'
    : `No change in the other ${formatCount(nights.length - unjudged)} batches of runs.`;
}

/** Describes a change: `turn.ok.p99 +12.0 % (95 % interval +8.0 to +16.0 %), 200 ms to 224 ms`. */
export function changeText({ name, change, ci95, before, after }: EventChange, group: TrendGroup): string {
  const unit = group.metrics.find((metric) => metric.name === name)?.unit ?? 'ms';
  const range = `${formatRange(ci95, unit)} ${unit === 'share' ? 'pp' : '%'}`;
  const ends = formatSides(before, after, unit).join(' to ');
  return `${clean(name)} ${formatChange(change, unit)} (95 % interval ${range}), ${ends}`;
}

/** Names the first result with a change, and the commits around it. */
export function originText({ file, commits, nightsSince }: TrendEvent): string {
  const ago = `${countOf(nightsSince, 'batch', 'batches')} since`;
  return `first in ${clean(file)}, ${commitsText(commits)}, ${ago}`;
}

/** Names the commits before and after an event. */
export function commitsText(commits: TrendEvent['commits']): string {
  if (commits === null) return 'commits unknown';
  const [before, after] = [commits.before, commits.after].map((commit) => clean(commit).slice(0, 10));
  return before === after ? `same commit ${String(before)}` : `commits ${String(before)}..${String(after)}`;
}

/** Returns the last line of a trend whose verdict was requested; `null` otherwise. */
export function trendVerdictLine(trend: Trend): string | null {
  const { alarm } = trend;
  if (alarm === null) return null;
  if (alarm.date !== null) return failedLine(`a gated metric changed on ${alarm.date}`);
  const inReach = seriesInReach(trend, alarm.nights);
  const recent = inReach.map((group) => ({ ...group, nights: group.nights.slice(-alarm.nights) }));
  if (isWithoutVerdict(trend)) {
    const causes = lacks.filter(({ has }) => recent.some(({ nights }) => nights.some(has)));
    const words = causes.map((each) => each.words).join(', or ');
    return invalidLine(`in the last ${countOf(alarm.nights, 'batch', 'batches')} of runs ${words}`);
  }
  const notes = [unsearchedText(inReach), ...lackTexts(recent)].filter((words) => words !== '');
  return lastLine('PASSED', notes.join('; '));
}

/** Describes the series that are not shown. */
export function omittedText({ groups }: Trend): string | null {
  const left = groups.length - maxSeries;
  if (left <= 0) return null;
  return `${countOf(left, 'more series', 'more series')} with older results; --scenario selects a scenario, --json lists all.`;
}

const maxSkipped = 5;

/** Warnings, and unusable files. */
export function warningTexts({ skipped, warnings }: Trend): string[] {
  const more = skipped.length - maxSkipped;
  return [
    ...warnings,
    ...skipped.slice(0, maxSkipped).map(({ file, problem }) => `${file} ${problem}`),
    ...(more > 0 ? [`${countOf(more, 'more unusable file')}; --json lists all.`] : []),
  ];
}

/** Names a night: `2026-11-03`; several on one day include the time (UTC): `2026-11-03 02:05`, with seconds if needed. */
export function nightName({ nights }: TrendGroup, at: number): string {
  const night = nights[at];
  if (night === undefined) return '';
  const isAlone = (length: number): boolean =>
    nights.filter((other) => timeOf(other).slice(0, length) === timeOf(night).slice(0, length)).length === 1;
  const [day, minute, second] = [10, 16, 19];
  return clean(timeOf(night).slice(0, [day, minute].find(isAlone) ?? second));
}

const timeOf = ({ startedAt }: TrendGroup['nights'][number]): string => startedAt.replace('T', ' ');

/** Names a series by its scenario, with distinguishing traits if several have the same name. */
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

/** Describes a series: `smoke: 60 batches of runs, 2026-09-05 to 2026-11-03`. */
export function seriesText(group: TrendGroup, trend: Trend): string {
  return `${seriesName(group, trend)}: ${spanText(group)}`;
}

/** Describes the batches of a series: `40 batches of runs, 2026-10-01 to 2026-11-09`. */
export function spanText({ nights, allNights }: TrendGroup): string {
  const [first, last] = [nights.at(0)?.date ?? '', nights.at(-1)?.date ?? ''];
  const part = allNights > nights.length ? ` of ${formatCount(allNights)}` : '';
  return `${formatCount(nights.length)}${part} ${nights.length === 1 ? 'batch' : 'batches'} of runs, ${first === last ? first : `${first} to ${last}`}`;
}

/** Describes machine, scenario and load, which are equal within the series. */
export function placeText(group: TrendGroup): string {
  return `${machineText(group)}; ${scenarioText(group)}, ${loadText(group)}`;
}
