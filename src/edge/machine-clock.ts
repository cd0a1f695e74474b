import { instant, later, ms, type Clock } from '../base/time.ts';
import { systemClock } from './clock.ts';

/** Milliseconds from the origin of the machine's monotonic clock to that of this process. */
const [seconds, nanoseconds] = process.hrtime();
const originMs = seconds * 1000 + nanoseconds / 1e6 - performance.now();

/** Real time whose instants mean the same in every process of this machine, since it started. */
export const machineClock: Clock = {
  now: () => instant(performance.now() + originMs),
  wallNow: () => systemClock.wallNow(),
  wakeAt: (at, wake) => systemClock.wakeAt(later(at, ms(-originMs)), wake),
};
