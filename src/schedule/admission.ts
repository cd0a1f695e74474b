import pLimit from 'p-limit';
import type { Instant } from '../base/time.ts';
import type { ScheduleContext } from './schedule-context.ts';

/** Admits sessions while fewer than the bound are live. */
interface Admission {
  isFull(): boolean;
  /** Starts a session, at once or when a place is free; resolves to false, unstarted, if the run drains before that. */
  start(number: number, due: Instant): Promise<boolean>;
  /** Resolves when no session is live. */
  allEnded(): Promise<void>;
}

export function openAdmission({ play, stopSignal }: ScheduleContext, mostLive: number): Admission {
  const limit = pLimit(mostLive);
  let live = 0;
  let noneLive: () => void = () => undefined;
  const isFull = (): boolean => limit.activeCount >= mostLive;

  const run = (number: number, due: Instant): Promise<void> => {
    live += 1;
    return play(number, due).then(leave);
  };

  const leave = (): void => {
    live -= 1;
    if (live === 0) noneLive();
  };

  const wait = (number: number, due: Instant): Promise<boolean> =>
    new Promise((resolve) => {
      const stopListening = stopSignal.when('drain', () => {
        limit.clearQueue();
        resolve(false);
      });
      void limit(() => {
        // Its place may have become free just before the drain, too late for the queue.
        if (stopSignal.reached('drain')) return undefined;
        stopListening();
        resolve(true);
        return run(number, due);
      });
    });

  return {
    isFull,
    start: (number, due) => {
      if (isFull()) return wait(number, due);
      // Without a bound nothing is kept per session but the session.
      void (mostLive === Infinity ? run(number, due) : limit(run, number, due));
      return Promise.resolve(true);
    },
    allEnded: () => (live === 0 ? Promise.resolve() : new Promise((resolve) => (noneLive = resolve))),
  };
}
