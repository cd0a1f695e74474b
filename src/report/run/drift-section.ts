import type { Drift, SeriesDrift } from '../../result/sections/drift.ts';
import { heads, made, table, text, type OutlineRow } from '../outline/outline.ts';
import type { RangesBlock } from '../page/page.ts';
import { formatFigure, formatP } from '../words/format-change.ts';
import { formatBytes, formatElapsed, formatPercent } from '../../base/format.ts';
import type { Style } from '../words/table.ts';
import { wrap } from '../words/width.ts';
import { inRun, rangesBlock, titleIn, type RunSection, type ShownRun } from './shown-run.ts';

/** Builds the section on drift during the run; empty for a run that was too short. */
export const driftSection: RunSection = (runs) => {
  const judged = runs.filter(
    ({ result: { drift } }) => drift.service !== 'too_short' || drift.generator !== 'too_short',
  );
  return {
    on: ['terminal', 'page'],
    page: {
      id: 'drift',
      isSecondary: true,
      title: 'Drift',
      lead: 'Significant changes of latency, failures and generator resources during the run.',
    },
    blocks: [
      ...judged.map(({ result: { drift } }) => made((style) => driftLines(drift, style))),
      ...judged.flatMap((run) =>
        sentencesOf(run.result.drift).map((words) => ({ ...text(titleIn(run, words)), on: ['page' as const] })),
      ),
      { type: 'made', page: () => slopes(judged) },
      ...judged.map((run) => {
        const { fromMs, toMs, series } = run.result.drift;
        const title = `Series between ${formatElapsed(fromMs)} and ${formatElapsed(toMs)} of the run`;
        return table(titleIn(run, title), seriesColumns, series.map(rowOf), { on: ['page'] });
      }),
    ],
  };
};

const seriesColumns = heads('series', 'verdict', '>change per hour', '>95 % interval', '>p', '>start', '>end');

const title = 'DRIFT     ';

/** Renders drifting series; the names of series that got worse are coloured. */
function driftLines(drift: Drift, { colors, width }: Style): string {
  const drifting = drift.series.filter(({ verdict }) => verdict === 'drift');
  if (drifting.length === 0) return `${title}${noneOf(drift)}`;
  const lines = drifting.flatMap((series) => {
    const [first = '', ...rest] = wrap(seriesText(series, drift), width - title.length);
    const paint = series.direction === 'worse' ? colors.yellow : (text: string) => text;
    return [first.replace(nameOf(series), paint(nameOf(series))), ...rest.map((line) => `  ${line}`)];
  });
  return lines.map((line, index) => (index === 0 ? title : ' '.repeat(title.length)) + line).join('\n');
}

function noneOf({ service, fromMs, toMs }: Drift): string {
  return service === 'too_short'
    ? 'none in the generator; too few turns to examine the service'
    : `none in ${formatElapsed(toMs - fromMs)}`;
}

function sentencesOf(section: Drift): string[] {
  const drifting = section.series.filter(({ verdict }) => verdict === 'drift');
  return drifting.length === 0 ? [`Drift: ${noneOf(section)}.`] : drifting.map((series) => seriesText(series, section));
}

/** Omits shares: they change by percentage points, which do not fit an axis of relative changes. */
function slopes(runs: readonly ShownRun[]): RangesBlock[] {
  const rows = runs.flatMap((run) =>
    run.result.drift.series
      .filter(({ unit }) => unit !== 'share')
      .map((series) => {
        const { value = null, low = null, high = null } = series.perHour ?? {};
        return { ...inRun(run, nameOf(series), toneOf(series)), value, low, high, note: verdictText(series) };
      }),
  );
  const description =
    'With 95 % intervals, corrected for autocorrelation. An interval that excludes 0 is not drift by itself: the verdict also corrects for the number of series tested.';
  return rangesBlock(
    { id: 'drift-per-hour', title: 'Change per hour', description, unit: 'change', scale: 'linear', reference: 0 },
    rows,
  );
}

const toneOf = ({ subject, direction }: SeriesDrift) =>
  subject === 'generator' ? 'generator' : direction === 'worse' ? 'failed' : direction === 'better' ? 'ok' : 'neutral';

function rowOf(series: SeriesDrift): OutlineRow {
  const { perHour, p, first, last, unit, verdict, direction } = series;
  const change = perHour === null ? '-' : `${formatPercent(perHour.value)} ${percentOf(unit)}`;
  const range = perHour === null ? '-' : `${formatPercent(perHour.low)} to ${formatPercent(perHour.high)}`;
  const ends = [first, last].map((value) => (value === null ? '-' : formatValue(value, unit)));
  return {
    cells: [nameOf(series), verdictText(series), change, range, formatP(p), ...ends],
    state: verdict !== 'drift' ? 'plain' : direction === 'worse' ? 'bad' : 'doubtful',
  };
}

function verdictText({ verdict, direction, shape, reason }: SeriesDrift): string {
  switch (verdict) {
    case 'none':
      return 'none shown';
    case 'too_short':
      return reason === null ? 'too short' : `too short: ${reason}`;
    case 'drift':
      return ['drift', direction, shape].filter((word) => word !== null).join(', ');
  }
}

function seriesText(series: SeriesDrift, drift: Drift): string {
  switch (series.shape) {
    case 'step':
      return stepText(series, drift);
    case 'sawtooth':
      return sawtoothText(series);
    case 'trend':
    case null:
      return trendText(series, drift);
  }
}

/** Describes a drift: `turn.p95 grew 1.8 %/h (95 % interval 1.1 to 2.4): 410 ms in the first hour, 470 ms in the last; at this rate ...` */
function trendText(series: SeriesDrift, drift: Drift): string {
  const { perHour, crossing, unit } = series;
  if (perHour === null) return '';
  const isFalling = perHour.value < 0;
  const [slow, fast] = isFalling ? [-perHour.high, -perHour.low] : [perHour.low, perHour.high];
  const rate = `${formatPercent(Math.abs(perHour.value))} ${percentOf(unit)}/h`;
  const interval = `(95 % interval ${formatPercent(slow)} to ${formatPercent(fast)})`;
  const ahead =
    crossing === null
      ? ''
      : `; at this rate the ${crossing.from === 'objective' ? `objective of ${formatValue(crossing.limit, unit)}` : crossing.from} is crossed in ${formatElapsed(crossing.inMs)}`;
  return `${nameOf(series)} ${isFalling ? 'fell' : 'grew'} ${rate} ${interval}${endsText(series, drift)}${ahead}`;
}

function stepText(series: SeriesDrift, drift: Drift): string {
  const { step, unit } = series;
  if (step === null) return '';
  const [low, high] = [step.low, step.high].map(formatPercent);
  const change = `${step.change < 0 ? '' : '+'}${formatPercent(step.change)} ${percentOf(unit)}`;
  return `${nameOf(series)} shifted ${formatElapsed(step.atMs)} after the start: ${change} (95 % interval ${String(low)} to ${String(high)})${endsText(series, drift)}`;
}

function sawtoothText(series: SeriesDrift): string {
  const { sawtooth, unit } = series;
  if (sawtooth === null) return '';
  const { falls, everyMs, depth } = sawtooth;
  return `${nameOf(series)} grew slowly and fell suddenly, by ${formatPercent(depth)} ${percentOf(unit)}, ${String(falls)} times, about every ${formatElapsed(everyMs)}: typical of a resource that fills up and is emptied or restarted`;
}

function endsText({ first, last, unit }: SeriesDrift, { compareMs }: Drift): string {
  if (first === null || last === null) return '';
  const [before, after] = [first, last].map((value) => formatValue(value, unit));
  const span = compareMs >= 3_600_000 ? 'hour' : formatElapsed(compareMs);
  return `: ${String(before)} in the first ${span}, ${String(after)} in the last`;
}

const names: Readonly<Record<string, string>> = {
  'generator.rss': "the generator's memory",
  'generator.heap': "the generator's heap",
  'generator.eventLoopDelay': "the generator's event-loop delay",
};
function nameOf({ name }: SeriesDrift): string {
  return names[name] ?? name;
}

const percentOf = (unit: SeriesDrift['unit']): string => (unit === 'share' ? 'points' : '%');

function formatValue(value: number, unit: SeriesDrift['unit']): string {
  return unit === 'bytes' ? formatBytes(value) : formatFigure(value, unit);
}
