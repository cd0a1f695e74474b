import type { Drift, SeriesDrift } from '../../result/sections/drift.ts';
import type { Result } from '../../result/result.ts';
import { formatFigure } from '../words/format-change.ts';
import { formatBytes, formatElapsed, formatPercent } from '../words/format.ts';
import type { Style } from '../words/table.ts';
import { wrap } from '../words/wrap.ts';

const title = 'DRIFT     ';

/** What changed during the run, in words; one line where nothing did, '' for a run that was too short. */
export function driftLines({ drift }: Pick<Result, 'drift'>, { colors, width }: Style): string {
  if (drift === null || (drift.service === 'too_short' && drift.generator === 'too_short')) return '';
  const drifting = drift.series.filter(({ verdict }) => verdict === 'drift');
  if (drifting.length === 0) return `${title}${noneOf(drift)}`;
  const lines = drifting.flatMap((series) => {
    const [first = '', ...rest] = wrap(seriesText(series, drift), width - title.length);
    const paint = series.direction === 'worse' ? colors.yellow : (text: string) => text;
    return [first.replace(nameOf(series), paint(nameOf(series))), ...rest.map((line) => `  ${line}`)];
  });
  return lines.map((line, index) => (index === 0 ? title : ' '.repeat(title.length)) + line).join('\n');
}

/** What was looked at, where no series drifted. */
export function noneOf({ service, fromMs, toMs }: Drift): string {
  return service === 'too_short'
    ? 'none in the generator; too few turns to judge the service'
    : `none in ${formatElapsed(toMs - fromMs)}`;
}

/** How a series drifted, in a sentence. */
export function seriesText(series: SeriesDrift, drift: Drift): string {
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

/** `turn.p95 grew 1.8 %/h (95 % interval 1.1 to 2.4): 410 ms in the first hour, 470 ms in the last; at this rate ...` */
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
  return `${nameOf(series)} changed its level ${formatElapsed(step.atMs)} after the start: ${change} (95 % interval ${String(low)} to ${String(high)})${endsText(series, drift)}`;
}

function sawtoothText(series: SeriesDrift): string {
  const { sawtooth, unit } = series;
  if (sawtooth === null) return '';
  const { falls, everyMs, depth } = sawtooth;
  return `${nameOf(series)} grew slowly and fell suddenly, by ${formatPercent(depth)} ${percentOf(unit)}, ${String(falls)} times, about every ${formatElapsed(everyMs)}: typical of something that fills up and is emptied or restarted`;
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
/** Its figure, in words where it is the generator's. */
export function nameOf({ name }: SeriesDrift): string {
  return names[name] ?? name;
}

const percentOf = (unit: SeriesDrift['unit']): string => (unit === 'share' ? 'points' : '%');

/** A value in the unit of its series. */
export function formatValue(value: number, unit: SeriesDrift['unit']): string {
  return unit === 'bytes' ? formatBytes(value) : formatFigure(value, unit);
}
