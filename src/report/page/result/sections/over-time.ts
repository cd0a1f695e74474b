import type { Block } from '../../page.ts';
import type { SectionView } from '../shown/section-view.ts';
import type { ShownRun } from '../shown/shown-run.ts';
import { classCharts } from '../charts/class-charts.ts';
import { generatorCharts } from '../charts/generator-charts.ts';
import { latencyCharts } from '../charts/latency-charts.ts';
import { loadCharts } from '../charts/load-charts.ts';
import { retryCharts } from '../charts/retry-charts.ts';

/** The generator's own lines come last, on the axis of the others: a stall of the service leaves them flat. */
const charts: readonly ((runs: readonly ShownRun[]) => readonly Block[])[] = [
  loadCharts,
  latencyCharts,
  classCharts,
  retryCharts,
  generatorCharts,
];

export const overTime: SectionView = {
  id: 'time',
  title: 'Over the run',
  lead: 'Everything on one time axis, from the start of the run; each value is of an interval, by when things ended.',
  view: (runs) => charts.flatMap((chart) => chart(runs)),
};
