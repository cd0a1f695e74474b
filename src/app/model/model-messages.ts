import type { AttemptFact } from '../../model-calls/attempt-facts.ts';
import type { Plan, RetryPolicy } from '../../plan/plan.ts';
import type { Ms, Instant } from '../../base/time.ts';
import type { Snapshot } from '../../record/snapshot.ts';
import type { Warning } from '../../result/sections/warning.ts';
import type { ResolvedModel } from '../../scenario/model-options.ts';
import type { ReadPrices } from '../../scenario/price-options.ts';

/** The model service to start. */
export interface ModelToOpen {
  options: ResolvedModel;
  /** Hosts that calls may be forwarded to besides loopback. */
  allowHosts: readonly string[];
  prices: ReadPrices | undefined;
  /** Plan whose spans are exported; `undefined`: none are. */
  plan?: Plan;
}

/** The run whose calls are counted from now on. */
export interface ModelRun {
  id: string;
  warmUpMs: Ms;
  retry: RetryPolicy[];
  /** Start of the run, by the clock of the machine. */
  startedAt: Instant;
  /** Number of shards of the load: the calls of each are published apart. */
  shards: number;
  /** Maximum cost of all calls; `null`: unlimited. */
  maxCost: number | null;
}

/** A model call, as `try` shows it. */
export interface SeenCall {
  model: string;
  outcome: string;
  /** From `traceparent`, or from the header `model.header`. */
  traceId: string | undefined;
}

/** Functions of the model process. `open` is called first; `begin`, `take` and `end` once per run. */
export interface ModelProcessCalls {
  open(opening: ModelToOpen): Promise<{ port: number }>;
  begin(run: ModelRun): void;
  take(facts: readonly AttemptFact[]): void;
  /** Waits for calls that are still open, for a short time, and returns everything counted, by part. */
  end(given: { elapsedMs: number }): Promise<Snapshot[]>;
  /** Answers, which shows that the process is not stuck. */
  ping(): void;
  /** Returns the first calls since the start of the service. */
  seen(): SeenCall[];
}

/** Functions that the model process calls in the process of the command. */
export interface ModelOwnerCalls {
  /** Receives the snapshot of each interval of a part: of calls without a shard (0), or of a shard (from 1). */
  interval(given: { part: number; piece: Snapshot }): void;
  /** Called when all calls up to a time have been published, in milliseconds since the start of the run. */
  closed(untilMs: number): void;
  /** Called once when the maximum cost is reached. */
  costReached(costNanos: number): void;
  /** Called once if this many turns have ended before the first call of a run. */
  unused(turns: number): void;
  /** Called at the end of a run for spans that did not arrive. */
  lostSpans(warning: Warning): void;
}
