import type { PublishedMetric, TrendGroup } from '../../compare/trend/trend.ts';
import { nightName, commitsText } from './trend-text.ts';
import { formatChange, formatMargin } from '../words/format-change.ts';
import { clean } from '../words/paragraph.ts';
import { finite, type LinesBlock } from '../page/page.ts';

/** Draws a metric over batches of runs: points, means between change points, and a mark at each change. */
export function metricLines(metric: PublishedMetric, { group, id }: { group: TrendGroup; id: string }): LinesBlock[] {
  const { name, unit, worse, margin } = metric;
  const points = metric.points.flatMap(({ night, value }) => pointAt(night, value));
  if (points.length === 0) return [];
  return [
    {
      type: 'lines',
      id,
      title: clean(name),
      description: `One point per batch of runs; the line is the mean between detected changes. ${worse === 'higher' ? 'Higher' : 'Lower'} is worse; changes below ${formatMargin(margin, unit)} are not reported.`,
      x: { title: 'batch of runs', form: 'text', labels: group.nights.map((_, at) => nightName(group, at)) },
      unit: unit === 'verdict' || unit === 'cost' ? 'count' : unit,
      form: 'points',
      series: [
        { label: 'batches of runs', tone: 'base', points },
        ...degradedSeries(points, group),
        { label: 'mean between changes', tone: 'head', form: 'step', points: stepsOf(metric) },
      ],
      marks: marksOf(metric, group),
    },
  ];
}

type Point = LinesBlock['series'][number]['points'][number];

function pointAt(x: number, value: number): Point[] {
  const y = finite(value);
  return y === null ? [] : [{ x, y, low: null, high: null }];
}

/** Repeats the points of nights with degraded runs in another colour. */
function degradedSeries(points: readonly Point[], { nights }: TrendGroup): LinesBlock['series'] {
  const doubtful = points.filter(({ x }) => (nights[x]?.degraded ?? 0) > 0);
  return doubtful.length === 0 ? [] : [{ label: 'with degraded runs', tone: 'retry', points: doubtful }];
}

/** Draws means: each from the first night of its segment to the next change, the last one to the last night with a value. */
function stepsOf({ segments, points }: PublishedMetric): Point[] {
  const [newest, last] = [segments.at(-1), points.at(-1)];
  const end =
    newest === undefined || last === undefined || last.night === newest.night ? [] : pointAt(last.night, newest.value);
  return [...segments.flatMap(({ night, value }) => pointAt(night, value)), ...end];
}

/** Marks the first night after each change of this metric. */
const marksOf = ({ name, unit }: PublishedMetric, group: TrendGroup): LinesBlock['marks'] =>
  group.events.flatMap((event) =>
    event.metrics
      .filter((change) => change.name === name)
      .map((change) => ({
        x: change.night,
        label: `${nightName(group, change.night)}: ${formatChange(change.change, unit)}, ${commitsText(event.commits)}`,
      })),
  );
