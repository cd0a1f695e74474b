import { attemptClassNames, traitsOf, type AttemptClass, type OutcomeGroup } from '../../protocol/outcome.ts';
import { publishedSeries } from '../../record/series.ts';
import type { Block, Choice, PercentilesBlock, TimeBlock, Tone } from '../page/page.ts';
import { objectivesText } from './retry-section.ts';
import { inRun, titleIn, type RunSection, type ShownRun } from './shown-run.ts';
import { classColumn, type Classed } from './build-timeline.ts';
import { statisticNames } from './series-columns.ts';

export const timeSection: RunSection = (runs) => ({
  page: {
    id: 'time',
    title: 'Over the run',
    lead: 'Everything on one time axis, from the start of the run; each value is of an interval, by when things ended.',
  },
  blocks: [
    {
      type: 'made',
      page: () => [
        ...timeCharts(loadCharts, runs),
        ...percentileChart(runs),
        ...heatMap(runs),
        ...timeCharts(outcomeCharts, runs),
      ],
    },
  ],
});

type Line = readonly [column: string, label: string, tone: Tone];

/** A chart over time: its lines, or the classes of which areas are stacked. */
interface TimeChart {
  id: string;
  title: string;
  unit: 'perSecond' | 'count' | 'ms' | 'share' | 'bytes';
  description: string;
  lines?: readonly Line[];
  stack?: Classed;
  /** The runs that it shows; all of them by default. */
  isShown?: (run: ShownRun) => boolean;
}

/** Draws charts in their order; columns that a run has not are left out, and charts without lines. */
function timeCharts(charts: readonly TimeChart[], runs: readonly ShownRun[]): TimeBlock[] {
  return charts
    .flatMap(({ lines = [], stack, isShown = () => true, ...chart }): TimeBlock[] => {
      const shown = runs.filter(isShown);
      if (stack !== undefined) return shown.map((run) => stackOf(run, chart, classLines(stack)));
      const named = lines.filter(([column]) => column !== goodTurns || runs.some(hasObjective));
      const series = shown.flatMap((run) =>
        linesIn(run, named).map(([column, label, tone]) => ({ ...inRun(run, label, tone), run: run.place, column })),
      );
      return [{ type: 'time', form: 'lines', ...chart, series }];
    })
    .filter(({ series }) => series.length > 0);
}

/** Areas on top of each other: a chart of a run alone, where the colours stay those of what is shown. */
function stackOf(run: ShownRun, chart: Omit<TimeBlock, 'type' | 'form' | 'series'>, lines: readonly Line[]): TimeBlock {
  const series = linesIn(run, lines).map(([column, label, tone]) => ({ label, tone, run: run.place, column }));
  const id = run.isOverlaid ? `${chart.id}-${String(run.place + 1)}` : chart.id;
  return { type: 'time', form: 'stacked', ...chart, id, title: titleIn(run, chart.title), series };
}

const linesIn = ({ timeline }: ShownRun, lines: readonly Line[]): readonly Line[] =>
  lines.filter(([column]) => column in timeline.columns);

/** The same as every ok turn where there is no objective. */
const goodTurns = 'turnsPerSecond.good';
const hasObjective = ({ result }: ShownRun): boolean => objectivesText(result.retries) !== null;

const classLines = (of: Classed): Line[] =>
  attemptClassNames.map((name) => [classColumn[of](name), name, toneOf(name)]);

/** Classes by what is to blame, as far as they say. */
const tones: Readonly<Record<OutcomeGroup, Tone>> = {
  ok: 'ok',
  '400': 'client',
  auth: 'client',
  '404': 'client',
  '429': 'rate_limited',
  '5xx': 'server',
  provider: 'provider',
  other: 'client',
  transport: 'network',
  contract: 'server',
  integrity: 'integrity',
};

const toneOf = (name: AttemptClass): Tone => (name === 'aborted' ? 'neutral' : tones[traitsOf(name).group]);

const wereCreationsRefused = ({ result }: ShownRun): boolean =>
  attemptClassNames.some((name) => name !== 'ok' && result.outcomes.createAttempts[name] > 0);

/** What was sent and what came of it, and how much was under way. */
const loadCharts: readonly TimeChart[] = [
  {
    id: 'rates',
    title: 'Turns per second',
    description:
      'Turns by when they were first sent, and by when they ended ok or failed for good. What the warm-up left over is shown apart.',
    unit: 'perSecond',
    lines: [
      ['turnsPerSecond.sent', 'sent', 'neutral'],
      ['turnsPerSecond.ok', 'ok', 'ok'],
      ['turnsPerSecond.failed', 'failed', 'failed'],
      [goodTurns, 'ok within the objective', 'first'],
      ['turnsPerSecond.ofWarmUp', 'ended, left over from the warm-up', 'third'],
    ],
  },
  {
    id: 'sessions-live',
    title: 'Live sessions',
    description: 'Sessions between their first create attempt and their end, on average over each interval.',
    unit: 'count',
    lines: [['live.sessions', 'live sessions', 'first']],
  },
  {
    id: 'turns-in-flight',
    title: 'Turns in flight',
    description:
      'Turns that were sent and had not ended, backoffs included, on average over each interval. They pile up where the service falls behind.',
    unit: 'count',
    lines: [['live.turns', 'turns in flight', 'first']],
  },
  {
    id: 'session-rates',
    title: 'Sessions per second',
    description: 'Sessions by when they were started, created and ended.',
    unit: 'perSecond',
    lines: [
      ['sessionsPerSecond.started', 'started', 'neutral'],
      ['sessionsPerSecond.created', 'created', 'ok'],
      ['sessionsPerSecond.notCreated', 'not created', 'failed'],
      ['sessionsPerSecond.ended', 'ended', 'second'],
    ],
  },
];

/** What became of turns, attempts and replies; retries; and the generator last, on the axis of the others: a stall of the service leaves its lines flat. */
const outcomeCharts: readonly TimeChart[] = [
  {
    id: 'turn-outcomes',
    title: 'Turns by outcome',
    description: 'Turns that ended, by their class, ok at the bottom. Turns that were never sent are in none.',
    unit: 'perSecond',
    stack: 'turns',
  },
  {
    id: 'attempt-outcomes',
    title: 'Attempts of turns by outcome',
    description: 'Each exchange with the service by its class: what retries hide from the turns shows here.',
    unit: 'perSecond',
    stack: 'attempts',
  },
  {
    id: 'creation-outcomes',
    title: 'Attempts to create a session by outcome',
    description: 'Each attempt to create a session by its class.',
    unit: 'perSecond',
    stack: 'createAttempts',
    isShown: wereCreationsRefused,
  },
  {
    id: 'broken-replies',
    title: 'Replies that broke a check',
    description: 'Replies that broke a check of the integrity guard, by when they had come.',
    unit: 'perSecond',
    lines: [['brokenRepliesPerSecond', 'broke a check', 'integrity']],
  },
  {
    id: 'retries-over-time',
    title: 'Retries per second',
    description: 'Retries of turns, by when they were sent. A storm is a peak that outlasts its cause.',
    unit: 'perSecond',
    lines: [['retriesPerSecond', 'retries', 'retry']],
  },
  {
    id: 'backoff-over-time',
    title: 'Backoff',
    description: 'What turns waited before a retry, by when it was sent.',
    unit: 'ms',
    lines: [
      ['backoffActual.mean', 'mean', 'retry'],
      ['backoffActual.max', 'longest', 'neutral'],
    ],
  },
  {
    id: 'lateness',
    title: 'Delay of the generator',
    description:
      'How late turns and sessions were sent, and how late the event loop was. Flat while latency rises: the service was slow. A peak here: the generator was.',
    unit: 'ms',
    lines: [
      ['lateness.mean', 'lateness of turns, mean', 'first'],
      ['lateness.max', 'lateness of turns, greatest', 'second'],
      ['sessionLateness.max', 'lateness of sessions, greatest', 'third'],
      ['generator.eventLoopDelayP99Ms', 'event loop delay, p99', 'generator'],
    ],
  },
  {
    id: 'generator-processor',
    title: 'Processor of the generator',
    description: 'Processor time over time passed, as a share of one core. Near 100 % the generator is the bottleneck.',
    unit: 'share',
    lines: [['generator.cpuShare', 'of one core', 'generator']],
  },
  {
    id: 'generator-memory',
    title: 'Memory of the generator',
    description: 'The most memory that the process used, and the least that its JavaScript heap did.',
    unit: 'bytes',
    lines: [
      ['generator.rssBytes', 'process', 'generator'],
      ['generator.heapBytes', 'heap', 'neutral'],
    ],
  },
];

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
