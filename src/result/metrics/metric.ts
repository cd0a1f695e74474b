import type { Books } from '../books/books.ts';
import type { Concurrency } from '../sections/concurrency.ts';
import type { SeriesName } from '../../record/series.ts';
import type { Drift } from '../sections/drift.ts';
import type { ComparisonRule } from './comparison-rule.ts';
import type { DriftReading } from './drift-series.ts';
import type { MetricPart } from './metric-part.ts';
import type { Integrity } from '../sections/integrity.ts';
import type { Latency, Positions } from '../sections/latency.ts';
import type { Outcomes } from '../sections/outcomes.ts';
import type { RetryResults } from '../policies/policies.ts';
import type { RateFigures } from '../sections/rates.ts';
import type { StreamFigures } from '../sections/stream.ts';
import type { Validity } from '../validity/judge-validity.ts';

/** The parts of a result that metrics are read from. */
export interface Published {
  books: Books;
  outcomes: Outcomes;
  latency: Latency;
  positions: Positions;
  retries: RetryResults;
  rates: RateFigures;
  stream: StreamFigures;
  concurrency: Concurrency;
  integrity: Integrity;
  validity: Validity;
  /** Absent while the run goes on. */
  drift?: Drift;
}

/** `perHour`: a change an hour, as a share; `verdict`: invalid 0, degraded 1, valid 2. */
export type MetricUnit = 'ms' | 'share' | 'perSecond' | 'ratio' | 'count' | 'perHour' | 'verdict';

/** A value in its metric's unit, Infinity included; or why there is none. */
export type Reading = { value: number } | { value: null; reason: string };

/** One figure of a result that gates, comparisons and reports can name. */
export interface Metric {
  name: string;
  unit: MetricUnit;
  meaning: string;
  /** The direction of a change for the worse; `null`: none. */
  worse: 'higher' | 'lower' | null;
  /** The series that it is read from; none: it is read from counts. */
  series?: readonly SeriesName[];
  /** Number of values below which it is not published; absent where one is enough. */
  minimum?: number;
  /** Number of values that its interval needs; absent where it can have none. */
  intervalMinimum?: number;
  /** Whether it is known only when the run has ended. */
  isKnownAtEnd?: boolean;
  read(result: Published): Reading;
  /** The 95 % interval of the figure; absent where it can have none. */
  readInterval?(result: Published): IntervalReading;
  /** How releases are compared by it; absent where they are not. */
  comparison?: ComparisonRule;
  /** How it is followed through a run; absent where it is not. */
  drift?: DriftReading;
  /** How it is read as a part of a whole; absent where it is no such part, or known only when the run has ended. */
  part?: MetricPart;
}

/** An interval in its metric's unit, its upper end Infinity where it falls among failed turns; or why there is none. */
export type IntervalReading = { low: number; high: number } | { low: null; reason: string };
