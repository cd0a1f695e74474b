import type { Mark, Timeline } from '../../report/page/page.ts';
import { formatCount } from '../../base/format.ts';
import { instantText, tickText } from './values.ts';
import type { Range } from './time-axis.tsx';
import { acrossOf, areaOf, upwardsOf, type Area, type Span, logarithmic, placeOn, type Projection } from './area.ts';
import { durationTicks, logTicks } from './scales.ts';
import { dropTouching, placeLabels, type PlacedLabel, type Tick } from './fitting.ts';
import { bucketMs, bucketsOf, heatColumns, heatPaths, levelsOf, rampAt } from './heat-cells.ts';

export interface DrawnHeat {
  area: Area;
  height: number;
  place: Projection;
  x: readonly Tick[];
  y: readonly Tick[];
  /** Levels from the lowest: cells, position on the colour ramp, and extent in the legend. */
  levels: readonly { cells: string; ramp: string; fromPx: number; toPx: number }[];
  /** Minimum count of each level. */
  legend: readonly Tick[];
  /** Highest count of a cell; null if it is the minimum of its level. */
  max: number | null;
  marks: readonly PlacedLabel[];
  bands: readonly Span[];
}

interface HeatInput {
  timeline: Timeline;
  intervals: readonly (readonly number[])[];
  shown: Range;
  width: number;
}

const plotHeight = 180;
const widestSwatch = 44;
/** Width of the text right of the swatches. */
const maxPx = 70;

/** Draws a heat map; returns null without values. */
export function drawHeat({ timeline, intervals, shown, width }: HeatInput): DrawnHeat | null {
  const buckets = bucketsOf(intervals);
  if (buckets === null) return null;
  const across = acrossOf(areaOf({ width, top: 0, height: 0 }));
  const place = placeOn(across, [shown.fromMs, shown.toMs]);
  const visible = timeline.marks.filter(({ atMs, untilMs }) => atMs <= shown.toMs && (untilMs ?? atMs) >= shown.fromMs);
  const marks = labelsOf(visible, shown, place, across);
  const lanes = Math.max(0, ...marks.map(({ lane }) => lane + 1));
  const area = areaOf({ width, top: 8 + lanes * 15, height: plotHeight });
  const bucketPx = placeOn(upwardsOf(area), buckets);
  const columns = heatColumns(timeline, intervals, { place, area });
  const max = columns.reduce((sum, { counts }) => Math.max(sum, ...counts.values()), 1);
  const firsts = levelsOf(max);
  const swatchPx = Math.min(widestSwatch, (area.right - area.left - maxPx) / firsts.length);
  return {
    area,
    height: area.bottom + 66,
    place,
    x: dropTouching(ticksAcross(shown, place, across)),
    y: ticksUp([bucketMs(buckets[0]), bucketMs(buckets[1])], upwardsOf(area)),
    levels: heatPaths(columns, firsts, bucketPx).map((cells, level) => ({
      cells,
      ramp: rampAt(level, firsts.length),
      fromPx: area.left + level * swatchPx,
      toPx: area.left + (level + 1) * swatchPx,
    })),
    legend: dropTouching(
      firsts.map((first, level) => ({ at: area.left + (level + 0.5) * swatchPx, label: formatCount(first) })),
    ),
    max: max > (firsts.at(-1) ?? max) ? max : null,
    marks,
    bands: bandsOf(visible, shown, place),
  };
}

function ticksAcross(shown: Range, place: Projection, { fromPx, toPx }: Span): Tick[] {
  const instants = durationTicks([shown.fromMs, shown.toMs], (toPx - fromPx) / 70);
  return instants.map((instant) => ({ at: place(instant), label: instantText(instant) }));
}

function ticksUp(domain: [number, number], span: Span): Tick[] {
  const place = placeOn(span, domain, logarithmic);
  return logTicks(domain, 18 / plotHeight).map((value) => ({ at: place(value), label: tickText(value, 'ms') }));
}

/** Omits labels that do not fit: the charts above and below have them too. */
function labelsOf(marks: readonly Mark[], shown: Range, place: Projection, across: Span): PlacedLabel[] {
  const labels = marks.map(({ atMs, label }) => ({ at: place(Math.max(atMs, shown.fromMs)), label }));
  return placeLabels(labels, across) ?? labels.map(({ at }) => ({ at, label: '', lane: 0, anchor: 'start' }));
}

const bandsOf = (marks: readonly Mark[], { fromMs, toMs }: Range, place: Projection): Span[] =>
  marks.flatMap(({ atMs, untilMs }) =>
    untilMs === null ? [] : [{ fromPx: place(Math.max(atMs, fromMs)), toPx: place(Math.min(untilMs, toMs)) }],
  );
