import type { Section, TimeBlock } from '../page.ts';
import { proseBlock } from '../prose-block.ts';
import { drawnPercentiles, type SideTimeline } from './side-timelines.ts';

/** Both sides over time, a line a run. */
export function timeSection(timelines: readonly SideTimeline[]): Section {
  return {
    id: 'time',
    title: 'Both sides over time',
    lead: 'Each run from its own start, without warm-up and drain: what was compared.',
    blocks:
      timelines.length === 0
        ? proseBlock(['A comparison does not contain its results: chat-load compare with --html draws them over time.'])
        : charts.flatMap((chart) => timeBlock(chart, timelines)),
  };
}

type Chart = Pick<TimeBlock, 'id' | 'title' | 'description' | 'unit'> & { column: string };

const charts: readonly Chart[] = [
  ...drawnPercentiles.map(({ name, floor }): Chart => ({
    id: `time-${name}`,
    title: `Turn ${name}`,
    description: `Latency of ok turns by interval: ${name}, in intervals of at least ${String(floor)} turns.`,
    unit: 'ms',
    column: `turn.ok.${name}`,
  })),
  {
    id: 'time-ok',
    title: 'Ok turns',
    description: 'Turns that ended ok, per second.',
    unit: 'perSecond',
    column: 'turnsPerSecond.ok',
  },
  {
    id: 'time-failed',
    title: 'Failed turns',
    description: 'Turns that failed for good, per second.',
    unit: 'perSecond',
    column: 'turnsPerSecond.failed',
  },
];

/** None where no run has the column. */
function timeBlock({ column, ...chart }: Chart, timelines: readonly SideTimeline[]): TimeBlock[] {
  const series = timelines.flatMap(({ side, timeline: { label, columns } }, run) =>
    columns[column] === undefined ? [] : [{ label, tone: side, run, column }],
  );
  return series.length === 0 ? [] : [{ type: 'time', ...chart, form: 'lines', series }];
}
