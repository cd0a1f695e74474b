import type { Settled } from '../../plan/settle.ts';
import { isOrderly } from '../../result/exit-code.ts';
import type { RunPorts, Stops } from './ports.ts';
import { newSitting, recordRun, type Recorded, type RunPlace } from './record-run.ts';

/** Runs of one scenario back to back, in one sitting. */
export interface Repetition extends RunPorts {
  count: number;
  /** The scenario as the run with this index, from 0, plays it. */
  settle: (index: number) => Promise<Settled>;
  place: Omit<RunPlace, 'sitting'>;
  /** Called after every run: `run 2 of 5`. */
  ended: (name: string, recorded: Recorded) => Promise<void>;
  /** Called with the reason when a run has no result; that run is the last. */
  failed: (name: string, thrown: unknown) => void;
}

export interface Repeated {
  /** Runs that have ended. */
  runs: number;
  /** Why not every run was begun; `undefined` when every one was. */
  endedEarly: string | undefined;
}

/** Performs and records runs until there are as many as asked, or one is stopped by something other than a limit of the scenario. */
export async function repeatRuns(repetition: Repetition): Promise<Repeated> {
  const { count, settle, ended, failed, stops } = repetition;
  const place = { ...repetition.place, sitting: newSitting() };
  let runs = 0;
  let reason: string | undefined;
  while (runs < count && reason === undefined) {
    const name = `run ${String(runs + 1)} of ${String(count)}`;
    try {
      const recorded = await recordRun(await settle(runs), place, repetition);
      await ended(name, recorded);
      runs += 1;
      reason = endOfSitting(recorded, stops);
    } catch (thrown) {
      failed(name, thrown);
      reason = 'the next one failed';
    }
  }
  return { runs, endedEarly: runs < count ? reason : undefined };
}

/** Why no further run is begun; `undefined`: one is. */
function endOfSitting({ result: { run } }: Recorded, stops: Stops): string | undefined {
  if (run.stop !== null && !isOrderly(run.stop)) return run.stop.reason;
  return stops.signal() === undefined ? undefined : 'a signal stopped it';
}
