import type { Books } from '../books/books.ts';
import type { Failing } from '../failures/failures.ts';
import type { Drift } from '../sections/drift.ts';
import type { Environment } from '../sections/environment.ts';
import type { GeneratorHealth } from '../sections/generator-health.ts';
import type { Latency } from '../sections/latency.ts';
import type { Outcomes } from '../sections/outcomes.ts';
import type { Stop } from '../sections/stop.ts';
import type { Concern } from './concern.ts';

/** What a run is judged by. `generator` null: not measured. */
export interface Evidence {
  books: Books;
  outcomes: Outcomes;
  /** An example of a class gives its status. */
  examples?: Failing['examples'];
  /** What ended the run before its end. */
  stop?: Stop | null;
  /** `sessionLateness` is without values under closed load, `gap` where replies came whole. */
  latency: Pick<Latency, 'lateness' | 'sessionLateness'> & Partial<Pick<Latency, 'gap'>>;
  generator: GeneratorHealth | null;
  /** The length of the whole run. */
  elapsedMs: number;
  drift?: Drift;
  /** Where the load came from: its cores, and its shards. */
  environment?: Pick<Environment, 'cores' | 'workers' | 'startSkewMs'> | null;
  /** The number of sessions that the plan asks for; null where it gives a duration alone. */
  plannedSessions?: number | null;
}

/** One reason not to trust a run, and how it is found. */
export interface ValidityRule {
  code: string;
  /** Where it depends on the run: on its shards, and the cores of its machine. */
  remedy: string | ((evidence: Evidence) => string);
  /** Whether it is about the generator's speed, which its start distorts. */
  isOfPace?: true;
  /** Whether it is the doing of the service: the load was offered as it was asked for. */
  isOfService?: true;
  find: (evidence: Evidence) => Concern;
}
