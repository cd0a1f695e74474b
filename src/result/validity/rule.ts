import type { Books } from '../books/books.ts';
import type { Failing } from '../failures/failures.ts';
import type { Drift } from '../sections/drift.ts';
import type { Environment } from '../sections/environment.ts';
import type { GeneratorHealth } from '../sections/generator-health.ts';
import type { Latency } from '../sections/latency.ts';
import type { Outcomes } from '../sections/outcomes.ts';
import type { Stop } from '../sections/run-facts.ts';
import { formatShare } from '../../base/format.ts';

export const severities = ['degraded', 'invalid'] as const;

/** A concern about a run, with the verdict that it alone leads to, and a remedy where it fits the cause better than that of its rule; `undefined`: none. */
export type Concern = { severity: (typeof severities)[number]; message: string; remedy?: string } | undefined;

export function invalidIf(seen: boolean, message: string): Concern {
  return seen ? { severity: 'invalid', message } : undefined;
}
export function degradedIf(seen: boolean, message: string): Concern {
  return seen ? { severity: 'degraded', message } : undefined;
}
export function graded(value: number, above: { degraded: number; invalid: number }, message: string): Concern {
  return invalidIf(value > above.invalid, message) ?? degradedIf(value > above.degraded, message);
}

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

/** Of a core: a generator that used less at any time was late for another reason, and more cores would not help. */
export const ownWork = 0.4;

type Seen = Pick<Evidence, 'environment'> & Partial<Pick<Evidence, 'generator'>>;

/** The processor time of the busiest process in its busiest two seconds, as a share of a core; `undefined`: not measured. */
function busiestShare({ generator, environment }: Seen): number | undefined {
  const measured = [generator, ...(environment?.workers ?? []).map((worker) => worker.generator)];
  const shares = measured.flatMap((health) => (health == null ? [] : [health.cpuShareMax]));
  return shares.length === 0 ? undefined : Math.max(...shares);
}

/** What to do when the generator was late, without its full stop: the flags that give it more cores, if it used those it had. */
export function spreadOut(evidence: Seen): string {
  const { environment } = evidence;
  const used = busiestShare(evidence);
  if (used !== undefined && used < ownWork)
    return `The generator used at most ${formatShare(used)} of a core, and would be as late with more of them: run on a machine that is idle`;
  const shards = environment?.workers?.length ?? 1;
  if (shards > 1)
    return `Spread the run over more than ${String(shards)} shards (--cores on one machine, --fleet and --shards on several: docs/fleet.md)`;
  if (environment?.cores === 1) return 'Spread the run over several machines (--fleet, --shards: docs/fleet.md)';
  return 'Spread the run over more cores (chat-load run ... --cores 2)';
}

/** Reports whether a reason against a run concerns only gaps between events: no other figure holds that delay. */
export function isOfGaps({ code }: { code: string }): boolean {
  return code === 'instants_late';
}

/** Reports whether a metric or series is of gaps between events. */
export function isGapName(name: string): boolean {
  return name.startsWith('gap.');
}
