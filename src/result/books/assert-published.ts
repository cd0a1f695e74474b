import { failedTurns, total } from '../../record/counters.ts';
import { nanosOf } from '../../plan/prices.ts';
import type { Ledger } from './books.ts';
import { checkEquation, type Equation } from './equation.ts';
import { partsOf, publishedSeries } from '../../record/series.ts';
import { sumOf } from '../../statistics/averages.ts';
import type { Interval, IntervalModelName } from '../sections/intervals.ts';
import type { Latency, Positions } from '../sections/latency.ts';
import type { Cost, Tokens } from '../sections/cost.ts';
import type { Model } from '../sections/model.ts';
import type { IntegrityFigures } from '../sections/integrity.ts';
import type { Outcomes } from '../sections/outcomes.ts';
import type { PolicyFigures } from '../policies/policies.ts';

interface Agreeing {
  outcomes: Outcomes;
  integrity: IntegrityFigures;
  latency: Latency;
  positions: Positions;
  retries: { policies: readonly PolicyFigures[] };
  tokens: Tokens;
  cost: Cost | null;
  model: Model | null;
  intervals: readonly Interval[];
}

/**
 * Checks the published figures against the books and against one another: each total is the whole without the warm-up, the
 * sum of the intervals after the warm-up, and the sum of the policies; turns are the sum of their positions.
 */
export function assertPublished(result: Agreeing, books: Ledger & { warmUp: Ledger }): Equation[] {
  return [
    ...countEquations(result, books),
    ...latencyEquations(result),
    ...positionEquations(result),
    ...usageEquations(result),
    ...modelEquations(result),
  ].map(([name, ...sides]) => checkEquation('published', name, sides));
}

type Named = readonly [name: string, left: number, right: number];

/** A part of the books or an interval: both contain most counts under the same names. */
type Booked = Pick<Ledger, 'attempts' | 'createAttempts' | 'integrity' | 'turns'> | Interval;
/** A count, read from the published figures and from the books or intervals. */
type Count = readonly [
  name: string,
  published: (part: Pick<Agreeing, 'outcomes' | 'integrity'>) => number,
  booked: (part: Booked) => number,
];

const counts: readonly Count[] = [
  ['ok turns', ({ outcomes }) => outcomes.turns.ok, ({ turns }) => turns.ok],
  ['failed turns', ({ outcomes }) => failedTurns(outcomes.turns), ({ turns }) => turns.failed],
  ['turns of all classes', ({ outcomes }) => total(outcomes.turns), ({ turns }) => allTurns(turns)],
  ['attempts', ({ outcomes }) => total(outcomes.attempts), ({ attempts }) => attempts.total],
  ['create attempts', ({ outcomes }) => total(outcomes.createAttempts), ({ createAttempts }) => createAttempts.total],
  ['replies examined by the integrity guard', repliesOf, repliesOf],
  ['replies that broke a check of the integrity guard', brokenOf, brokenOf],
];

function repliesOf({ integrity }: Pick<Booked, 'integrity'>): number {
  return integrity.replies;
}
function brokenOf({ integrity }: Pick<Booked, 'integrity'>): number {
  return integrity.failed;
}

const allTurns = (turns: Booked['turns']): number =>
  'byClass' in turns
    ? total(turns.byClass)
    : turns.ok + turns.failed + turns.aborted + turns.abandoned + turns.skipped_prior_failure + turns.skipped_run_end;

const countEquations = (result: Agreeing, books: Ledger & { warmUp: Ledger }): Named[] =>
  counts.flatMap(([name, published, booked]): Named[] => {
    const counted = published(result);
    const inBooks = booked(books) - booked(books.warmUp);
    return [
      [`published ${name} = the books without the warm-up`, counted, inBooks],
      [`published ${name} = sum over intervals`, counted, sumOf(measured(result).map(booked))],
      [`published ${name} = sum over policies`, counted, sumOf(result.retries.policies.map(published))],
    ];
  });

const latencyEquations = (result: Agreeing): Named[] =>
  publishedSeries.flatMap((series): Named[] => {
    const { name } = series;
    const counted = result.latency[name]?.count ?? 0;
    const inIntervals = measured(result).flatMap(({ latency }) =>
      partsOf(series).map(({ part }) => latency[part]?.count ?? 0),
    );
    return [
      [`published ${name} latencies = sum over intervals`, counted, sumOf(inIntervals)],
      [
        `published ${name} latencies = sum over policies`,
        counted,
        sumOf(result.retries.policies.map((each) => each.latency[name]?.count ?? 0)),
      ],
    ];
  });

const positionEquations = ({ latency: { turn }, positions }: Agreeing): Named[] => [
  ['published ok turn latencies = sum over positions', turn.ok.count, sumOf(positions.map(({ ok }) => ok.count))],
  [
    'published failed turn latencies = sum over positions',
    turn.failed.count,
    sumOf(positions.map(({ failed }) => failed.count)),
  ],
  ['published turn latencies = ok + failed turn latencies', turn.count, turn.ok.count + turn.failed.count],
];

function usageEquations(result: Agreeing): Named[] {
  const { tokens, cost, retries } = result;
  const { input, output, positions } = tokens;
  const costs = sumOf(measured(result).map(({ usage }) => usage?.costNanos ?? 0));
  return [
    ['published input tokens = sum over positions', input.tokens ?? 0, sumOf(positions.map((at) => at.inputTokens))],
    ['published output tokens = sum over positions', output.tokens ?? 0, sumOf(positions.map((at) => at.outputTokens))],
    ['published cost = sum over intervals', nanosIn(cost), cost === null ? 0 : costs],
    ['published cost = sum over policies', nanosIn(cost), sumOf(retries.policies.map((each) => nanosIn(each.cost)))],
  ];
}

function modelEquations(result: Agreeing): Named[] {
  const { model } = result;
  if (model === null) return [];
  const { calls, callsPerTurn, attempts, parts, repeats } = model;
  const inIntervals = (name: IntervalModelName): number =>
    sumOf(measured(result).map((interval) => interval.model?.[name] ?? 0));
  return [
    ['published model calls = sum over intervals', calls.total, inIntervals('calls')],
    ['published model calls of ok turns = sum over intervals', callsPerTurn.calls, inIntervals('turnCalls')],
    ['published repeats of model calls = sum over intervals', repeats, inIntervals('repeats')],
    ['published attempts with model calls = attempts in the parts', attempts, parts.all?.attempts ?? 0],
    ['published attempts with model calls = model time latencies', attempts, result.latency['model.time']?.count ?? 0],
  ];
}

const nanosIn = (cost: Cost | null): number => nanosOf(cost?.total ?? 0);

const measured = ({ intervals }: Agreeing): Interval[] => intervals.filter((interval) => !interval.warmUp);
