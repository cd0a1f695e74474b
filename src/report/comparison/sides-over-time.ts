import { ratePerSecond } from '../../base/field.ts';
import type { Comparison } from '../../compare/document/comparison.ts';
import { sideNames, type SideName } from '../../compare/document/side.ts';
import { measuredWindow } from '../../compare/figures/open-run.ts';
import { quantileOf } from '../../record/histogram.ts';
import { readSparse } from '../../record/sparse-histogram.ts';
import { percentiles } from '../../result/percentiles/percentiles.ts';
import type { Result } from '../../result/result.ts';
import type { Interval } from '../../result/sections/intervals.ts';
import { text, type Section } from '../outline/outline.ts';
import { rounded, type TimeBlock, type Timeline } from '../page/page.ts';

interface SideTimeline {
  side: SideName;
  timeline: Timeline;
}

/** Returns the compared window of each run whose result is available. */
export function timelinesOf(comparison: Comparison, results: readonly Result[]): SideTimeline[] {
  const byId = new Map(results.map((result) => [result.run.id, result]));
  return sideNames.flatMap((side) =>
    comparison[side].runs.flatMap(({ id }, index) => {
      const result = byId.get(id);
      return result === undefined ? [] : [{ side, timeline: timelineOf(result, runName(side, index)) }];
    }),
  );
}

function timelineOf(result: Result, label: string): Timeline {
  const intervals = measuredWindow(result);
  const columns = columnsOf(intervals).filter(([, values]) => values.some((value) => value !== null));
  return {
    label,
    startMs: intervals.map(({ startMs }) => startMs),
    lengthMs: intervals.map(({ lengthMs }) => lengthMs),
    columns: Object.fromEntries(columns),
    heat: {},
    marks: [],
  };
}

const drawnPercentiles = percentiles.filter(({ name }) => ['p50', 'p95', 'p99'].includes(name));

function columnsOf(intervals: readonly Interval[]): [string, (number | null)[]][] {
  const latencies = intervals.map(readPercentiles);
  return [
    ['turnsPerSecond.ok', intervals.map(({ turns, lengthMs }) => perSecond(turns.ok, lengthMs))],
    ['turnsPerSecond.failed', intervals.map(({ turns, lengthMs }) => perSecond(turns.failed, lengthMs))],
    ...drawnPercentiles.map(({ name }, at): [string, (number | null)[]] => [
      `turn.ok.${name}`,
      latencies.map((each) => each[at] ?? null),
    ]),
  ];
}

function perSecond(count: number, lengthMs: number): number | null {
  const rate = ratePerSecond(count, lengthMs);
  return rate === null ? null : rounded(rate);
}

/** Reads percentiles as metrics define them; none below its sample floor. */
function readPercentiles({ latency }: Interval): (number | null)[] {
  const stored = latency['turn.ok'];
  if (stored === undefined || stored.count === 0) return [];
  const histogram = readSparse(stored.hdr);
  return drawnPercentiles.map(({ percent, floor }) =>
    stored.count < floor ? null : rounded(quantileOf(histogram, percent / 100)),
  );
}

/** Names a run in charts and tables: `base run 1`. */
export function runName(side: SideName, index: number): string {
  return `${side} run ${String(index + 1)}`;
}

/** Draws both sides over time, one line per run. */
export function timeSection(timelines: readonly SideTimeline[]): Section {
  return {
    on: ['page'],
    page: {
      id: 'time',
      isSecondary: true,
      title: 'Both sides over time',
      lead:
        timelines.length === 0 ? '' : 'The compared window of each run, without warm-up and drain, from its own start.',
    },
    blocks:
      timelines.length === 0
        ? [
            text(
              'A comparison does not contain its results: chat-load compare --report FILE.html draws them over time.',
            ),
          ]
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
    description: 'Turns that finally failed, per second.',
    unit: 'perSecond',
    column: 'turnsPerSecond.failed',
  },
];

/** Builds a chart; none if no run has a value other than 0 in the column. */
function timeBlock({ column, ...chart }: Chart, timelines: readonly SideTimeline[]): TimeBlock[] {
  const series = timelines.flatMap(({ side, timeline: { label, columns } }, run) =>
    columns[column] === undefined ? [] : [{ label, tone: side, run, column }],
  );
  const isEmpty = timelines.every(({ timeline }) => timeline.columns[column]?.every((value) => !value) ?? true);
  return isEmpty ? [] : [{ type: 'time', ...chart, form: 'lines', series }];
}
