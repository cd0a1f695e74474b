import { performance } from 'node:perf_hooks';
import { setInterval } from 'node:timers';

/** Holds the event loop of a generator for 200 ms of every second: what it measures then is late, and it is to say so. */
setInterval(() => {
  const until = performance.now() + 200;
  while (performance.now() < until);
}, 1000).unref();
