import { attemptClassNames, traitsOf, type AttemptClass, type OutcomeGroup } from '../../../../protocol/outcome.ts';
import { objectivesText } from '../../../run/objectives-text.ts';
import type { Block, Tone } from '../../page.ts';
import { linesOverTime, stackOverTime } from '../shown/blocks.ts';
import type { ShownRun } from '../shown/shown-run.ts';
import { classColumn, type Classed } from '../time/count-columns.ts';

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

/** Draws charts in their order; lines without values are left out, and charts without lines. */
export function timeCharts(charts: readonly TimeChart[], runs: readonly ShownRun[]): readonly Block[] {
  return charts.flatMap(({ lines = [], stack, isShown = () => true, ...chart }) => {
    const shown = runs.filter(isShown);
    if (stack !== undefined) return stackOverTime(shown, chart, classLines(stack));
    const named = lines.filter(([column]) => column !== goodTurns || runs.some(hasObjective));
    return linesOverTime(
      shown,
      chart,
      named.map(([column, label, tone]) => ({ column, label, tone })),
    );
  });
}

/** The same as every ok turn where there is no objective. */
const goodTurns = 'turnsPerSecond.good';
const hasObjective = ({ result }: ShownRun): boolean => objectivesText(result.retries) !== null;

const classLines = (of: Classed) =>
  attemptClassNames.map((name) => ({ column: classColumn[of](name), label: name, tone: toneOf(name) }));

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
export const loadCharts: readonly TimeChart[] = [
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
export const outcomeCharts: readonly TimeChart[] = [
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
