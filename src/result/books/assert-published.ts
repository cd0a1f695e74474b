import { failedTurns, total } from '../../record/counters.ts';
import type { Ledger } from './books.ts';
import { checkEquation, type Equation } from './equation.ts';
import { partsOf, publishedSeries } from '../../record/series.ts';
import type { Interval } from '../sections/intervals.ts';
import type { Latency, Positions } from '../sections/latency.ts';
import type { IntegrityFigures } from '../sections/integrity.ts';
import type { Outcomes } from '../sections/outcomes.ts';
import type { PolicyFigures } from '../policies/policies.ts';

/** The parts of a result whose figures have to agree with one another. */
interface Agreeing {
  books: Ledger & { warmUp: Ledger };
  outcomes: Outcomes;
  integrity: IntegrityFigures;
  latency: Latency;
  positions: Positions;
  policies: readonly PolicyFigures[];
  intervals: readonly Interval[];
}

/**
 * Checks the published figures against the books and against one another: each total is the whole without the warm-up,
 * the sum of the intervals outside the warm-up, and the sum of the policies; turns are the sum of their positions.
 */
export function assertPublished(result: Agreeing): Equation[] {
  return [...countEquations(result), ...latencyEquations(result), ...positionEquations(result)].map(
    ([name, ...sides]) => checkEquation('published', name, sides),
  );
}

type Named = readonly [name: string, left: number, right: number];

/** One count, as the different parts of a result state it. */
interface Count {
  name: string;
  published: (part: Pick<Agreeing, 'outcomes' | 'integrity'>) => number;
  booked: (ledger: Ledger) => number;
  inInterval: (interval: Interval) => number;
}

const counts: readonly Count[] = [
  {
    name: 'ok turns',
    published: ({ outcomes: { turns } }) => turns.ok,
    booked: ({ turns }) => turns.ok,
    inInterval: ({ turns }) => turns.ok,
  },
  {
    name: 'failed turns',
    published: ({ outcomes: { turns } }) => failedTurns(turns),
    booked: ({ turns }) => turns.failed,
    inInterval: ({ turns }) => turns.failed,
  },
  {
    name: 'turns of all classes',
    published: ({ outcomes: { turns } }) => total(turns),
    booked: ({ turns }) =>
      turns.ok + turns.failed + turns.aborted + turns.abandoned + turns.skipped_prior_failure + turns.skipped_run_end,
    inInterval: ({ turns }) => total(turns.byClass),
  },
  {
    name: 'attempts',
    published: ({ outcomes: { attempts } }) => total(attempts),
    booked: ({ attempts }) => attempts.total,
    inInterval: ({ attempts }) => attempts.total,
  },
  {
    name: 'create attempts',
    published: ({ outcomes: { createAttempts } }) => total(createAttempts),
    booked: ({ createAttempts }) => createAttempts.total,
    inInterval: ({ createAttempts }) => createAttempts.total,
  },
  {
    name: 'replies looked at by the integrity guard',
    published: ({ integrity }) => integrity.replies,
    booked: ({ integrity }) => integrity.replies,
    inInterval: ({ integrity }) => integrity.replies,
  },
  {
    name: 'replies that broke a check of the integrity guard',
    published: ({ integrity }) => integrity.failed,
    booked: ({ integrity }) => integrity.failed,
    inInterval: ({ integrity }) => integrity.failed,
  },
];

const countEquations = (result: Agreeing): Named[] =>
  counts.flatMap(({ name, published, booked, inInterval }): Named[] => {
    const counted = published(result);
    const whole = booked(result.books);
    return [
      [`published ${name} = the books without the warm-up`, counted, whole - booked(result.books.warmUp)],
      [`published ${name} = sum over intervals`, counted, sum(measured(result).map(inInterval))],
      [`published ${name} = sum over policies`, counted, sum(result.policies.map(published))],
    ];
  });

const latencyEquations = (result: Agreeing): Named[] =>
  publishedSeries.flatMap((series): Named[] => {
    const { name } = series;
    const counted = result.latency[name].count;
    const inIntervals = measured(result).flatMap(({ latency }) =>
      partsOf(series).map(({ part }) => latency[part]?.count ?? 0),
    );
    return [
      [`published ${name} latencies = sum over intervals`, counted, sum(inIntervals)],
      [
        `published ${name} latencies = sum over policies`,
        counted,
        sum(result.policies.map((each) => each.latency[name].count)),
      ],
    ];
  });

const positionEquations = ({ latency: { turn }, positions }: Agreeing): Named[] => [
  ['published ok turn latencies = sum over positions', turn.ok.count, sum(positions.map(({ ok }) => ok.count))],
  [
    'published failed turn latencies = sum over positions',
    turn.failed.count,
    sum(positions.map(({ failed }) => failed.count)),
  ],
  ['published turn latencies = ok and failed ones', turn.count, turn.ok.count + turn.failed.count],
];

const measured = ({ intervals }: Agreeing): Interval[] => intervals.filter((interval) => !interval.warmUp);
const sum = (numbers: readonly number[]): number => numbers.reduce((so, each) => so + each, 0);
