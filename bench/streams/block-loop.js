import { performance } from 'node:perf_hooks';
import { setInterval } from 'node:timers';

/** Blocks the event loop of a generator for 200 ms of every second, which the run must report. */
setInterval(() => {
  const until = performance.now() + 200;
  while (performance.now() < until);
}, 1000).unref();
