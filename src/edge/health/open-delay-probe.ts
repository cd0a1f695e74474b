import { createHistogram } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { instant, type Instant, type Ms } from '../../base/time.ts';
import type { GeneratorHealth } from '../../result/sections/generator-health.ts';
import { machineOffsetMs } from '../clock.ts';
import { loopPeriodMs } from './loop-delays.ts';
import { loopTurns } from '../loop-turns.ts';
import { maxProbeGapMs, MissedProbes, probePeriodMs } from './missed-probes.ts';

/** Receives a probe: the instant at which it was sent, and the instant at which the event loop received it. */
type Probed = (sentAt: Instant, readAt: Instant) => void;

export interface DelayProbe {
  /** Reports every probe from now on to one receiver; the returned function ends that. */
  follow(probed: Probed): () => void;
  /** Returns the longest time that what was read at an instant may have waited for the event loop. */
  waited(at: Instant): Ms;
  figures(): Pick<GeneratorHealth, 'readDelayP50Ms' | 'readDelayP99Ms' | 'readDelayMaxMs'>;
  close(): Promise<void>;
}

/**
 * Sends messages to the event loop of this process from a thread of its own, at random instants about every 20 ms, to
 * measure how late the loop reads what has arrived. Like bytes of a socket, they wait for the system to schedule the process and
 * for the loop to poll; a timer shows neither to better than a millisecond. A timer finds the probes that were not sent, because the
 * whole process was suspended. Costs less than 1 % of a core.
 */
export function openDelayProbe(): DelayProbe {
  const closed = new SharedArrayBuffer(4);
  const thread = new Worker(source, {
    eval: true,
    workerData: closed,
    env: {},
    execArgv: [],
    // Otherwise they are piped to the streams of this process, with listeners.
    stdout: true,
    stderr: true,
  });
  thread.unref();
  const microseconds = createHistogram();
  const missed = new MissedProbes(instant(performance.now()));
  let receive: Probed | undefined;
  const take: Probed = (sentAt, readAt) => {
    if (receive === undefined) return;
    microseconds.record(Math.max(1, Math.round((readAt - sentAt) * 1000)));
    receive(sentAt, readAt);
  };
  thread.on('message', (sent: number) => {
    const sentAt = instant(sent - machineOffsetMs);
    missed.received(sentAt);
    take(sentAt, loopTurns.readAt());
  });
  const timer = setInterval(() => {
    loopTurns.ticked(loopPeriodMs);
    // After the next poll, which receives the probes of the stall, and before the replies of that poll get their delays.
    if (missed.sign(instant(performance.now()), loopPeriodMs))
      setImmediate(() =>
        missed.take().forEach(({ sentAt, readAt }) => take(sentAt, loopTurns.latestBetween(sentAt, readAt))),
      );
  }, loopPeriodMs);
  timer.unref();
  // Without the thread nothing is measured, which the result shows.
  thread.on('error', () => undefined);
  return {
    follow: (probed) => {
      receive = probed;
      return () => (receive = undefined);
    },
    waited: (at) => loopTurns.waited(at),
    figures: () => ({
      readDelayP50Ms: microseconds.percentile(50) / 1000,
      readDelayP99Ms: microseconds.percentile(99) / 1000,
      readDelayMaxMs: microseconds.max / 1000,
    }),
    close: async () => {
      clearInterval(timer);
      loopTurns.stopped();
      Atomics.store(new Int32Array(closed), 0, 1);
      Atomics.notify(new Int32Array(closed), 0);
      await thread.terminate();
    },
  };
}

/** Minimum time between two probes, whose mean is the period. */
const minGapMs = 2 * probePeriodMs - maxProbeGapMs;

/** Code of the thread. `hrtime` is the only clock that all threads of a process share. */
const source = `
const { parentPort, workerData } = require('node:worker_threads');
const closed = new Int32Array(workerData);
while (Atomics.wait(closed, 0, 0, ${String(minGapMs)} + ${String(maxProbeGapMs - minGapMs)} * Math.random()) === 'timed-out') {
  const [seconds, nanoseconds] = process.hrtime();
  parentPort.postMessage(seconds * 1000 + nanoseconds / 1e6);
}
`;
