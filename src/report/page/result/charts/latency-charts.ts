import { publishedSeries } from '../../../../record/series.ts';
import type { Block, Choice, PercentilesBlock } from '../../page.ts';
import { statisticNames } from '../time/statistics.ts';
import type { ShownRun } from '../shown/shown-run.ts';

/** How long things took over time: any statistic of any series, and the spread of whole series. */
export function latencyCharts(runs: readonly ShownRun[]): readonly Block[] {
  return [...percentileChart(runs), ...heatMap(runs)];
}

function percentileChart(runs: readonly ShownRun[]): PercentilesBlock[] {
  const series = choicesOf(runs, () => true);
  const [first] = series;
  if (first === undefined) return [];
  const has = (key: string, statistic: string): boolean =>
    runs.some(({ timeline }) => `${key}.${statistic}` in timeline.columns);
  const statistics = statisticNames.filter((name) => series.some(({ key }) => has(key, name)));
  return [
    {
      type: 'percentiles',
      id: 'percentiles-over-time',
      title: 'Latency over time',
      description: 'Statistics of each interval; a percentile is drawn where the interval has enough values for it.',
      series,
      statistics: statistics.map((name) => ({ key: name, label: name, note: '' })),
      chosen: { series: first.key, statistics: firstOf(wanted, (name) => has(first.key, name)) },
    },
  ];
}

/** The middle, the tail and the far end, each the first that there are values of. */
const wanted = [
  ['p50', 'mean'],
  ['p95', 'p90'],
  ['p99', 'max'],
] as const;

const firstOf = (groups: readonly (readonly string[])[], has: (name: string) => boolean): string[] =>
  groups.flatMap((group) => group.find(has) ?? []);

function heatMap(runs: readonly ShownRun[]): Block[] {
  const choices = choicesOf(runs, ({ hasHeat }) => hasHeat);
  if (choices.length === 0) return [];
  return [
    {
      type: 'heat',
      id: 'heat',
      title: 'How latencies are spread',
      description:
        'The darker, the more values of an interval took this long. A scale of factors: the lowest row also holds whatever was shorter. A stall is a dark streak that rises from the others.',
      choices,
    },
  ];
}

/** The series of all runs, those of the first one first. */
function choicesOf(runs: readonly ShownRun[], isWanted: (series: ShownRun['series'][number]) => boolean): Choice[] {
  const all = runs.flatMap(({ series }) => series.filter(isWanted));
  return [...new Map(all.map(({ key, label }) => [key, { key, label, note: meaningOf(key) }])).values()];
}

/** From where to where a series is measured, its ok or failed part too. */
function meaningOf(key: string): string {
  const series = publishedSeries.find(({ name }) => name === key.split('.')[0]);
  return series === undefined ? '' : `Measured from ${series.from} to ${series.to}.`;
}
