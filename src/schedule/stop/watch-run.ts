import { between, later, ms, type Clock, type Instant, type Ms } from '../../base/time.ts';
import type { Plan } from '../../plan/plan.ts';
import type { DroughtLimits, Watchdog } from './watchdog.ts';
import type { StopController } from './stop-controller.ts';

const lookEvery = ms(1000);
const judgeGatesEvery = ms(5000);

export interface WatchedRun {
  plan: Pick<Plan, 'maxDurationMs' | 'abortGates'> & { stopWhen: DroughtLimits };
  clock: Clock;
  startedAt: Instant;
  stopController: StopController;
  watchdog: Pick<Watchdog, 'judge'>;
  /** The gate with `abort` that has failed this long after the start; `undefined`: none. */
  failedGate: (elapsedMs: Ms) => string | undefined;
}

/** Ends a run that takes too long, makes no progress or fails a gate; the returned function stops watching. */
export function watchRun({ plan, clock, startedAt, stopController, watchdog, failedGate }: WatchedRun): () => void {
  const around = { clock, start: startedAt };
  const { maxDurationMs, stopWhen, abortGates } = plan;
  const stops: (() => void)[] = [];
  if (maxDurationMs !== null)
    stops.push(
      clock.wakeAt(later(startedAt, maxDurationMs), () =>
        stopController.end({
          kind: 'max_duration',
          why: `maxDuration (${String(maxDurationMs / 1000)} s) was reached`,
        }),
      ),
    );
  if (stopWhen.noSuccessMs !== null || stopWhen.targetGoneMs !== null)
    stops.push(
      every(lookEvery, around, () => {
        const stop = watchdog.judge();
        if (stop !== undefined) stopController.end(stop);
      }),
    );
  if (Object.keys(abortGates).length > 0)
    stops.push(
      every(judgeGatesEvery, around, (now) => {
        const why = failedGate(between(startedAt, now));
        if (why !== undefined) stopController.end({ kind: 'gate', why });
      }),
    );
  return () => stops.forEach((stop) => stop());
}

/** Calls `act` at every multiple of `periodMs` from `start` on, skipping those missed in a stall; returns a function that ends it. */
export function every(
  periodMs: Ms,
  { clock, start }: { clock: Clock; start: Instant },
  act: (now: Instant) => void,
): () => void {
  let cancel = (): void => undefined;
  const arm = (): void => {
    const passed = Math.floor((clock.now() - start) / periodMs);
    cancel = clock.wakeAt(later(start, ((passed + 1) * periodMs) as Ms), () => {
      act(clock.now());
      arm();
    });
  };
  arm();
  return () => cancel();
}
