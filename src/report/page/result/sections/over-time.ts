import { latencyCharts } from '../charts/latency-charts.ts';
import { loadCharts, outcomeCharts, timeCharts } from '../charts/line-charts.ts';
import type { SectionView } from '../shown/section-view.ts';

export const overTime: SectionView = {
  id: 'time',
  title: 'Over the run',
  lead: 'Everything on one time axis, from the start of the run; each value is of an interval, by when things ended.',
  view: (runs) => [...timeCharts(loadCharts, runs), ...latencyCharts(runs), ...timeCharts(outcomeCharts, runs)],
};
