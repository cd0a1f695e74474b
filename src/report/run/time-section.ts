import { failedClassNames, traitsOf, type AttemptClass, type OutcomeGroup } from '../../protocol/outcome.ts';
import { failedTurns } from '../../record/counters.ts';
import { publishedSeries } from '../../record/series.ts';
import { gateLimits } from '../page/gate-limits.ts';
import type { Block, Choice, Limit, PercentilesBlock, TimeBlock, Tone } from '../page/page.ts';
import { objectivesText } from './retry-section.ts';
import { inRun, titleIn, type RunSection, type ShownRun } from './shown-run.ts';
import { classColumn, type Classed } from './build-timeline.ts';
import { statisticNames } from './series-columns.ts';

/** Charts of what users notice: latency, model calls, then failures. */
export const timeSection: RunSection = (runs) => ({
  page: {
    id: 'time',
    title: 'Over time',
    lead: 'All charts share a time axis. Each point covers one interval; events count when they end.',
  },
  blocks: [
    {
      type: 'made',
      page: () => [
        ...percentileChart(runs),
        ...latencyCharts(runs),
        ...timeCharts(modelCharts, runs),
        ...timeCharts(failureCharts, runs),
      ],
    },
  ],
});

/** Charts that explain latency and failures: the heat map, retries, load, cost, and the generator. */
export const loadTimeSection: RunSection = (runs) => ({
  page: {
    id: 'load-time',
    title: 'Distribution, retries, load and generator over time',
    lead: 'The time axis is shared with the charts of latency and failures.',
    isSecondary: true,
  },
  blocks: [{ type: 'made', page: () => [...heatMap(runs), ...timeCharts(loadCharts, runs)] }],
});

type Line = readonly [column: string, label: string, tone: Tone];

/** A chart over time, with lines, with stacked areas, or with those of failure classes. */
interface TimeChart {
  id: string;
  title: string;
  unit: 'perSecond' | 'count' | 'ms' | 'share' | 'bytes';
  description: string;
  /** Further sentence for the runs to which it applies. */
  remark?: readonly [applies: (run: ShownRun) => boolean, text: string];
  lines?: readonly Line[];
  stack?: Classed;
  areas?: readonly Line[];
  metrics?: readonly string[];
  /** Runs that the chart shows; all by default. */
  isShown?: (run: ShownRun) => boolean;
}

/** Builds charts in order; omits columns that a run does not have, and charts without lines. */
function timeCharts(charts: readonly TimeChart[], runs: readonly ShownRun[]): TimeBlock[] {
  return charts
    .flatMap(({ lines = [], stack, areas, metrics = [], isShown = () => true, remark, ...chart }): TimeBlock[] => {
      const shown = runs.filter(isShown);
      if (stack !== undefined) return shown.map((run) => stackOf(run, chart, classLines(stack)));
      if (areas !== undefined) return shown.map((run) => stackOf(run, chart, areas));
      const named = lines.filter(([column]) => column !== goodTurns || runs.some(hasObjective));
      const series = shown.flatMap((run) =>
        linesIn(run, named).map(([column, label, tone]) => ({ ...inRun(run, label, tone), run: run.index, column })),
      );
      const description =
        remark !== undefined && shown.some(remark[0]) ? `${chart.description} ${remark[1]}` : chart.description;
      return [{ type: 'time', form: 'lines', ...chart, description, series, limits: limitsOf(shown, metrics) }];
    })
    .filter(({ series }) => series.length > 0);
}

const limitsOf = (runs: readonly ShownRun[], metrics: readonly string[]): Limit[] =>
  gateLimits(runs.map(({ result }) => result), metrics).map(({ value, label }) => ({ value, label })); // prettier-ignore

/** Builds a chart of stacked areas. Each run has its own chart, so that colours identify classes. */
function stackOf(run: ShownRun, chart: Omit<TimeBlock, 'type' | 'form' | 'series'>, lines: readonly Line[]): TimeBlock {
  const series = linesIn(run, lines).map(([column, label, tone]) => ({ label, tone, run: run.index, column }));
  const id = run.isOverlaid ? `${chart.id}-${String(run.index + 1)}` : chart.id;
  return { type: 'time', form: 'stacked', ...chart, id, title: titleIn(run, chart.title), series };
}

const linesIn = ({ timeline }: ShownRun, lines: readonly Line[]): readonly Line[] =>
  lines.filter(([column]) => column in timeline.columns);

/** Column of good turns; it equals the column of ok turns if there is no objective. */
const goodTurns = 'turnsPerSecond.good';
const hasObjective = ({ result }: ShownRun): boolean => objectivesText(result.retries) !== null;

/** Returns a line per class of failure. Ok is omitted: next to it, the failures of a healthy run would be invisible. */
const classLines = (of: Classed): Line[] => failedClassNames.map((name) => [classColumn[of](name), name, toneOf(name)]);

/** Colours of failure classes by their likely cause. */
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

const hasFailures = ({ result }: ShownRun): boolean => failedTurns(result.outcomes.turns) > 0;
const hasWarmUp = ({ result }: ShownRun): boolean => result.scenario.plan.warmUpMs > 0;

/** Turns, then failures of any kind, each on its own scale; absent from a run without failures. */
const failureCharts: readonly TimeChart[] = [
  {
    id: 'rates',
    title: 'Turns per second',
    description: 'Turns sent, succeeded and failed per second.',
    remark: [hasWarmUp, 'Remaining turns of the warm-up have their own line.'],
    unit: 'perSecond',
    lines: [
      ['turnsPerSecond.sent', 'sent', 'neutral'],
      ['turnsPerSecond.ok', 'ok', 'ok'],
      ['turnsPerSecond.failed', 'failed', 'failed'],
      [goodTurns, 'ok within the objective', 'first'],
      ['turnsPerSecond.ofWarmUp', 'ended, started in the warm-up', 'third'],
    ],
    metrics: ['rates.turnsPerSecond'],
  },
  {
    id: 'failed-share',
    title: 'Failed turns, share',
    description: 'Failed turns as a share of the turns that ended.',
    unit: 'share',
    lines: [['turns.failedShare', 'failed', 'failed']],
    metrics: ['turns.failedShare'],
    isShown: hasFailures,
  },
  {
    id: 'turn-outcomes',
    title: 'Failed turns by outcome',
    description: 'Turns that finally failed, by class. Turns that were never sent are not included.',
    unit: 'perSecond',
    stack: 'turns',
  },
  {
    id: 'attempt-outcomes',
    title: 'Failed attempts by outcome',
    description: 'Failed attempts of turns, by class, including attempts whose retry succeeded.',
    unit: 'perSecond',
    stack: 'attempts',
  },
  {
    id: 'creation-outcomes',
    title: 'Failed attempts to create a session',
    description: 'Failed attempts to create a session, by class.',
    unit: 'perSecond',
    stack: 'createAttempts',
  },
  {
    id: 'broken-replies',
    title: 'Replies that failed an integrity check',
    description: 'Replies that failed an integrity check, by time of arrival.',
    unit: 'perSecond',
    lines: [['brokenRepliesPerSecond', 'failed a check', 'integrity']],
  },
];

/** Model calls within turns; absent without a model service. */
const modelCharts: readonly TimeChart[] = [
  {
    id: 'parts-over-time',
    title: 'Model, retry wait and agent',
    description:
      'Mean parts of the attempts with a model call: a growing area shows whether the model or the agent becomes slower.',
    unit: 'ms',
    areas: [
      ['model.time.mean', 'model', 'first'],
      ['model.retryWait.mean', 'retry wait', 'retry'],
      ['model.agentTime.mean', 'agent', 'ok'],
    ],
  },
  {
    id: 'calls-per-turn',
    title: 'Model calls per turn',
    description: 'Mean number of model calls of all attempts of an ok turn.',
    unit: 'count',
    lines: [['model.callsPerTurn', 'calls per ok turn', 'first']],
    metrics: ['model.callsPerTurn'],
  },
];

/** Retries, load (concurrency, rates of sessions and attempts), then generator health, which stays flat while the service stalls. */
const loadCharts: readonly TimeChart[] = [
  {
    id: 'retries-over-time',
    title: 'Retries per second',
    description: 'Retries of turns, by time of send. A retry storm is a peak that outlasts its cause.',
    unit: 'perSecond',
    lines: [['retriesPerSecond', 'retries', 'retry']],
  },
  {
    id: 'backoff-over-time',
    title: 'Backoff',
    description: 'Time between a failed attempt and its retry, by the time of the retry.',
    unit: 'ms',
    lines: [
      ['backoffActual.mean', 'mean', 'retry'],
      ['backoffActual.max', 'max', 'neutral'],
    ],
  },
  {
    id: 'sessions-live',
    title: 'Live sessions',
    description: 'Mean number of sessions between their first create attempt and their end.',
    unit: 'count',
    lines: [['live.sessions', 'live sessions', 'first']],
  },
  {
    id: 'turns-in-flight',
    title: 'Turns in flight',
    description:
      'Mean number of turns sent and not ended, backoffs included. They pile up when the service falls behind.',
    unit: 'count',
    lines: [['live.turns', 'turns in flight', 'first']],
  },
  {
    id: 'session-rates',
    title: 'Sessions per second',
    description: 'Sessions started, created and ended per second.',
    unit: 'perSecond',
    lines: [
      ['sessionsPerSecond.started', 'started', 'neutral'],
      ['sessionsPerSecond.created', 'created', 'ok'],
      ['sessionsPerSecond.notCreated', 'not created', 'failed'],
      ['sessionsPerSecond.ended', 'ended', 'second'],
    ],
  },
  {
    id: 'attempt-rates',
    title: 'Successful attempts per second',
    description: 'Exchanges with the service that ended ok.',
    unit: 'perSecond',
    lines: [
      [classColumn.attempts('ok'), 'turns', 'ok'],
      [classColumn.createAttempts('ok'), 'session creations', 'second'],
    ],
  },
  {
    id: 'cost-per-turn',
    title: 'Cost per turn',
    description: 'Known cost of the attempts that ended, per ended turn.',
    unit: 'count',
    lines: [['costPerTurn', 'cost per turn', 'first']],
    metrics: ['cost.perTurn'],
  },
  {
    id: 'cached-share',
    title: 'Input tokens read from a cache, share',
    description: 'Among the input tokens of the replies that report them.',
    unit: 'share',
    lines: [['tokens.cachedShare', 'read from a cache', 'first']],
    metrics: ['tokens.cachedShare'],
  },
  {
    id: 'lateness',
    title: 'Generator delay',
    description:
      'Delay of turns, sessions and the event loop. If it stays flat while latency rises, the service was slow; a peak here means that the generator was.',
    unit: 'ms',
    lines: [
      ['lateness.mean', 'turn lateness, mean', 'first'],
      ['lateness.max', 'turn lateness, max', 'second'],
      ['sessionLateness.max', 'session lateness, max', 'third'],
      ['generator.eventLoopDelayP99Ms', 'event loop delay, p99', 'generator'],
    ],
  },
  {
    id: 'generator-processor',
    title: 'Generator CPU',
    description: 'CPU usage (share of one core). Near 100 % the generator is the bottleneck.',
    unit: 'share',
    lines: [['generator.cpuShare', 'share of one core', 'generator']],
  },
  {
    id: 'generator-memory',
    title: 'Generator memory',
    description: 'Maximum resident memory of the process and minimum of its JavaScript heap, per interval.',
    unit: 'bytes',
    lines: [
      ['generator.rssBytes', 'process', 'generator'],
      ['generator.heapBytes', 'heap', 'neutral'],
    ],
  },
];

/** Series that the users of a streamed service notice. */
const streamSeries = ['firstToken', 'gap', 'tokenTime'];

const latencies = [
  ['gap', 'Gap between events', 'Time between two content events of a reply.'],
  ['tokenTime', 'Time per output token', 'From the first to the last content event, per output token.'],
  ['turn', 'Turn latency', 'From the first send to the end of the reply, including backoff.'],
] as const;

/** Charts of the series that readers need besides the first chart: gaps, time per token and turns of a streamed run. */
function latencyCharts(runs: readonly ShownRun[]): TimeBlock[] {
  if (!runs.some(isStreamed)) return [];
  return latencies.flatMap(([key, title, description]) => {
    const statistics = firstOf(wanted, (name) => runs.some((run) => isFilled(run, key, name)));
    const lines = statistics.map((name): Line => [`${key}.${name}`, name, toneOfStatistic(name)]);
    const metrics = statisticNames.map((name) => `${key}.${name}`);
    return timeCharts([{ id: `${key}-over-time`, title, description, unit: 'ms', lines, metrics }], runs);
  });
}

/** Returns the same tone for a statistic in every chart. */
function toneOfStatistic(name: string): Tone {
  const at = wanted.findIndex((group) => group.some((each) => each === name));
  return tonesInOrder[at] ?? (name === 'p75' ? 'fourth' : 'fifth');
}

const tonesInOrder: readonly Tone[] = ['first', 'second', 'third'];

const isStreamed = ({ series }: ShownRun): boolean => series.some(({ key }) => key === 'firstToken');

function percentileChart(runs: readonly ShownRun[]): PercentilesBlock[] {
  const series = choicesOf(runs, () => true);
  const first = series.find(({ key }) => key === 'firstToken') ?? series[0];
  if (first === undefined) return [];
  const has = (key: string, statistic: string): boolean =>
    runs.some(({ timeline }) => `${key}.${statistic}` in timeline.columns);
  const statistics = statisticNames.filter((name) => series.some(({ key }) => has(key, name)));
  return [
    {
      type: 'percentiles',
      id: 'percentiles-over-time',
      title: 'Latency over time',
      description: 'Statistics per interval; percentiles only for intervals with enough values.',
      series,
      statistics: statistics.map((name) => ({ key: name, label: name, tone: toneOfStatistic(name) })),
      chosen: {
        series: first.key,
        statistics: firstOf(wanted, (name) => runs.some((run) => isFilled(run, first.key, name))),
      },
      limits: gateLimits(
        runs.map(({ result }) => result),
        series.flatMap(({ key }) => statisticNames.map((name) => `${key}.${name}`)),
      ).map(({ metric, value, label }) => ({ column: metric, value, label })),
    },
  ];
}

/** Statistics drawn by default: the first of each group that has a value in most intervals. */
const wanted = [
  ['p50', 'mean'],
  ['p95', 'p90'],
  ['p99', 'max'],
] as const;

/** Reports whether a statistic has a value in at least half of the intervals in which its series has any. */
function isFilled({ timeline: { columns } }: ShownRun, key: string, statistic: string): boolean {
  const count = (name: string): number => columns[`${key}.${name}`]?.filter((value) => value !== null).length ?? 0;
  return count(statistic) > 0 && 2 * count(statistic) >= count('max');
}

const firstOf = (groups: readonly (readonly string[])[], has: (name: string) => boolean): string[] =>
  groups.flatMap((group) => group.find(has) ?? []);

function heatMap(runs: readonly ShownRun[]): Block[] {
  const choices = choicesOf(runs, ({ hasHeat }) => hasHeat);
  if (choices.length === 0) return [];
  return [
    {
      type: 'heat',
      id: 'heat',
      title: 'Latency heat map',
      description:
        'Log scale. Darker (in dark mode: brighter) cells hold more values; a stall is a rising streak. The lowest row includes all shorter values.',
      choices,
    },
  ];
}

/** Returns the series of all runs: series of streams first, then in the order of the runs. */
function choicesOf(runs: readonly ShownRun[], isWanted: (series: ShownRun['series'][number]) => boolean): Choice[] {
  const found = runs.flatMap(({ series }) => series.filter(isWanted));
  const leading = streamSeries.flatMap((name) => found.filter(({ key }) => key.split('.')[0] === name));
  const all = [...leading, ...found];
  return [...new Map(all.map(({ key, label }) => [key, { key, label, note: meaningOf(key) }])).values()];
}

/** Describes start and end of the measurement of a series or one of its parts. */
function meaningOf(key: string): string {
  const series = publishedSeries.find(({ name }) => name === key.split('.')[0]);
  return series === undefined ? '' : `Measured from ${series.from} to ${series.to}.`;
}
