import { instant, type Instant } from '../../base/time.ts';
import { machineOffsetMs } from '../../edge/clock.ts';
import type { AttemptFact } from '../../model-calls/attempt-facts.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import type { FleetJournal } from '../../coordinate.ts';
import { partsFor } from '../../model-calls/model-recorder.ts';
import { mergeSnapshots } from '../../record/snapshot.ts';
import { HeldIntervals } from './held-intervals.ts';
import { unusedModelWarning, type Warning } from '../../result/sections/warning.ts';
import type { RunOutcome } from '../../run.ts';
import type { ModelStop } from '../../run-context.ts';
import type { OpenModel } from './open-model.ts';

interface Linked {
  resolved: Pick<ResolvedScenario, 'plan'>;
  /** ID of the run. */
  run: string;
  /** Number of shards of the load. */
  shards: number;
  warn: (warning: Warning) => void;
}

/** Connection of one load with the model service behind the agent. */
export type ModelLink = ReturnType<typeof linkModel>;

export function linkModel(model: OpenModel, { resolved: { plan }, run, shards, warn }: Linked) {
  let end: (stop: ModelStop) => void = () => undefined;
  const modelStop = new Promise<ModelStop>((resolve) => (end = resolve));
  let lost: ModelStop | undefined;
  const onStop = (stop: ModelStop): void => {
    if (stop.kind === 'model_lost') {
      lost = stop;
      // Nothing more is published that the load could wait for.
      intervals.modelClosed(Infinity);
    }
    end(stop);
  };
  let journal: FleetJournal | undefined;
  const intervals = new HeldIntervals({
    parts: partsFor(shards),
    publish: (piece, missing) => journal?.add(piece, missing),
    publishModel: (piece) => journal?.addModel?.(piece),
  });
  const lostSpans: Warning[] = [];
  const onLostSpans = (warning: Warning): void => {
    lostSpans.push(warning);
    warn(warning);
  };
  const onUnused = (turns: number): void => warn(unusedModelWarning(model, turns));
  return {
    /** Resolves when the model service ends the run; otherwise never. */
    modelStop,
    started: (startedAt: Instant): void => {
      const { warmUpMs, retry, maxCost } = plan;
      const facts = { id: run, warmUpMs, retry, maxCost, shards, startedAt: onMachineClock(startedAt) };
      model.begin(facts, {
        onInterval: (part, piece) => intervals.addModel(part, piece),
        onClosed: (untilMs) => intervals.modelClosed(untilMs),
        onStop,
        onUnused,
        onLostSpans,
      });
    },
    /** Returns a journal whose intervals of the load and of model calls cover the same time. */
    inStep: (given: FleetJournal): FleetJournal => {
      journal = given;
      return { ...given, add: (piece, missing) => intervals.add(piece, missing) };
    },
    /** A shard has delivered its intervals up to a time, in milliseconds since the start; `Infinity` at its end. */
    delivered: (shard: number, untilMs: number): void => intervals.delivered(shard, untilMs),
    take: (facts: readonly AttemptFact[]): void => model.take(facts),
    /**
     * Adds the model calls to the outcome of the load: of a lost shard, and if the service does not report them, those of the
     * published intervals.
     */
    withCalls: async <Outcome extends RunOutcome>(outcome: Outcome): Promise<Outcome> => {
      const ended = await within(endsWithinMs, model.end(outcome.elapsedMs));
      intervals.end();
      const counted = Array.from({ length: partsFor(shards) }, (_, part) =>
        intervals.isWhole(part) ? (ended?.[part] ?? intervals.publishedOf(part)) : intervals.publishedOf(part),
      ).filter((part) => part !== undefined);
      const { elapsedMs } = outcome.snapshot;
      const snapshot = { ...mergeSnapshots(outcome.snapshot, ...counted), elapsedMs };
      // The process may be lost after the load has ended.
      const ending = lost ?? (ended === undefined ? unreported : undefined);
      const warnings = [...outcome.warnings, ...lostSpans];
      return {
        ...outcome,
        snapshot,
        warnings,
        stop: outcome.stop ?? (ending && { ...ending, atMs: outcome.elapsedMs }),
      };
    },
  };
}

/** Time for the model service to report its calls at the end of a run; it waits for open calls during a part of it. */
const endsWithinMs = 30_000;

const unreported = {
  kind: 'model_lost',
  why: 'the model service did not report its calls at the end of the run',
} as const;

/** Resolves with `undefined` if a promise takes too long. */
async function within<Value>(maxMs: number, promise: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), maxMs)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

const onMachineClock = (at: Instant): Instant => instant(at + machineOffsetMs);
