import { instant, ms, type Instant } from '../../base/time.ts';
import { machineClock, systemClock } from '../../edge/clock.ts';
import type { AttemptFact } from '../../model-calls/attempt-facts.ts';
import type { Settled } from '../../plan/settle.ts';
import { MergingRecorder } from '../../record/merging-recorder.ts';
import { mergeSnapshots, type Snapshot } from '../../record/snapshot.ts';
import { unusedModelWarning, type Warning } from '../../result/sections/warning.ts';
import type { RunOutcome } from '../../run.ts';
import type { ModelStop } from '../../run-context.ts';
import type { OpenModel } from './open-model.ts';

interface Linked {
  settled: Settled;
  /** ID of the run. */
  run: string;
  /** Receives the snapshot of each interval of model calls. */
  addInterval: (piece: Snapshot) => void;
  warn: (warning: Warning) => void;
}

/** Connection of one load with the model service behind the agent. */
export type ModelLink = ReturnType<typeof linkModel>;

export function linkModel(model: OpenModel, { settled: { plan }, run, addInterval, warn }: Linked) {
  let end: (stop: ModelStop) => void = () => undefined;
  const modelStop = new Promise<ModelStop>((resolve) => (end = resolve));
  let lost: ModelStop | undefined;
  const onStop = (stop: ModelStop): void => {
    if (stop.kind === 'model_lost') lost = stop;
    end(stop);
  };
  // If the process is lost, the intervals that it has published are counted.
  const published = new MergingRecorder({ plan, workers: ['model'] });
  const onInterval = (piece: Snapshot): void => {
    addInterval(piece);
    published.add('model', piece);
    published.close(piece.elapsedMs);
  };
  const onUnused = (turns: number): void => warn(unusedModelWarning(model, turns));
  return {
    /** Resolves when the model service ends the run; otherwise never. */
    modelStop,
    started: (startedAt: Instant): void => {
      const { warmUpMs, retry, maxCost } = plan;
      const facts = { id: run, warmUpMs, retry, maxCost, startedAt: onMachineClock(startedAt) };
      model.begin(facts, { onInterval, onStop, onUnused });
    },
    take: (facts: readonly AttemptFact[]): void => model.take(facts),
    /** Adds the model calls to the outcome of the load. */
    withCalls: async <Outcome extends RunOutcome>(outcome: Outcome): Promise<Outcome> => {
      const counted = (await model.end(outcome.elapsedMs)) ?? published.snapshot(outcome.elapsedMs);
      const { elapsedMs } = outcome.snapshot;
      // The process may be lost after the load has ended.
      const stop = outcome.stop ?? (lost && { ...lost, atMs: outcome.elapsedMs });
      return { ...outcome, stop, snapshot: { ...mergeSnapshots(outcome.snapshot, counted), elapsedMs } };
    },
  };
}

/** Milliseconds from an instant of this process to that of the machine's clock. */
export const machineOffsetMs = ms(machineClock.now() - systemClock.now());

const onMachineClock = (at: Instant): Instant => instant(at + machineOffsetMs);
