import { instant, type Clock, type Instant } from '../../base/time.ts';

/** The clock of this process. Timers that fire early are armed again, so that nothing happens before its time. */
export const realClock: Clock = {
  now: () => instant(performance.now()),
  wallNow: () => Date.now(),
  wakeAt,
};

/** The longest that a timer of Node.js can run. */
const longestTimerMs = 2 ** 31 - 1;

function wakeAt(at: Instant, wake: () => void): () => void {
  let timer = setTimeout(check, waitUntil(at));
  function check(): void {
    if (performance.now() >= at) wake();
    else timer = setTimeout(check, waitUntil(at));
  }
  return () => clearTimeout(timer);
}

const waitUntil = (at: Instant): number => Math.min(longestTimerMs, Math.max(0, Math.ceil(at - performance.now())));
