import { instant } from '../base/time.ts';
import type { Clock, Instant } from '../base/time.ts';

/** Real time. Its timers keep the process alive until they fire or are cancelled. */
export const systemClock: Clock = {
  now: () => instant(performance.now()),
  wallNow: () => Date.now(),
  wakeAt,
};

/** The longest delay that `setTimeout` takes; a longer one would fire at once. */
const longestDelayMs = 2 ** 31 - 1;

function wakeAt(at: Instant, wake: () => void): () => void {
  if (at <= performance.now()) {
    const immediate = setImmediate(wake);
    return () => clearImmediate(immediate);
  }
  // A timer of the event loop counts from a cached time in whole milliseconds, so it can fire early: check, and wait on.
  const wakeWhenDue = (): void => {
    if (performance.now() >= at) wake();
    else timer = setTimeout(wakeWhenDue, delayUntil(at));
  };
  let timer = setTimeout(wakeWhenDue, delayUntil(at));
  return () => clearTimeout(timer);
}

const delayUntil = (at: Instant): number => Math.min(Math.ceil(at - performance.now()), longestDelayMs);
