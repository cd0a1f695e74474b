import { loopTurns } from './loop-turns.ts';
import { instant, type Clock, type Instant, ms } from '../base/time.ts';

/** Real time. Its timers keep the process alive until they fire or are cancelled. */
export const systemClock: Clock = {
  now: () => instant(performance.now()),
  readAt: () => loopTurns.readAt(),
  wallNow: () => Date.now(),
  wakeAt,
};

/** Maximum delay of `setTimeout`; a longer one would fire at once. */
const maxDelayMs = 2 ** 31 - 1;

function wakeAt(at: Instant, wake: () => void): () => void {
  if (at <= performance.now()) {
    const immediate = setImmediate(wake);
    return () => clearImmediate(immediate);
  }
  // A timer of the event loop counts from a cached time in whole milliseconds, so it can fire early: check the time,
  // and wait again.
  const wakeWhenDue = (): void => {
    if (performance.now() >= at) wake();
    else timer = setTimeout(wakeWhenDue, delayUntil(at));
  };
  let timer = setTimeout(wakeWhenDue, delayUntil(at));
  return () => clearTimeout(timer);
}

const delayUntil = (at: Instant): number => Math.min(Math.ceil(at - performance.now()), maxDelayMs);

/**
 * Milliseconds from an instant of this process to the same one of the machine's monotonic clock. Taken from the shortest of
 * several pairs of readings, because the process may be interrupted between two readings, and the first take long.
 */
export const machineOffsetMs = ms(
  Array.from({ length: 20 }, readOrigin).reduce((best, each) => (each.spanMs < best.spanMs ? each : best)).originMs,
);

function readOrigin(): { originMs: number; spanMs: number } {
  const before = performance.now();
  const [seconds, nanoseconds] = process.hrtime();
  const after = performance.now();
  return { originMs: seconds * 1000 + nanoseconds / 1e6 - (before + after) / 2, spanMs: after - before };
}

/** Real time since the start of this machine: instants are comparable between its processes. */
export const machineClock: Clock = {
  now: () => instant(performance.now() + machineOffsetMs),
  readAt: () => instant(loopTurns.readAt() + machineOffsetMs),
  wallNow: () => systemClock.wallNow(),
  wakeAt: (at, wake) => systemClock.wakeAt(instant(at - machineOffsetMs), wake),
};
