import cluster from 'node:cluster';
import { once } from 'node:events';
import { ChatLoadError } from '../../base/errors.ts';
import { machineClock } from '../../edge/clock.ts';
import { pathInPackage } from '../../edge/path-in-package.ts';
import type { ResolvedEmbedded } from '../../scenario/embedded.ts';
import { endProcess, openCalls, type Caller } from '../calls.ts';
import type { ServiceStats } from '../exchange/stats.ts';
import { baseUrlOf, type ServiceAddress } from '../start.ts';
import { undividedSettings, ownerOf } from './deal-options.ts';
import { mergeStats } from './merge-stats.ts';
import { makeSocketPaths } from './mesh.ts';
import type { SupervisorCalls, WorkerCalls } from './worker-process.ts';

interface ServiceProcesses {
  /** Without a trailing slash. */
  baseUrl: string;
  /** Settings because of which one process has all sessions. */
  undivided: readonly string[];
  stats: () => Promise<ServiceStats>;
  /** Rejects when one of the processes ends by itself; the others have been ended then. */
  failed: Promise<never>;
  /** Ends the processes and cuts exchanges in progress. */
  close: () => Promise<void>;
}

/**
 * Starts the reference service in several processes with one shared address; this process only accepts connections and distributes them round-robin. At most one such service per process, because `node:cluster` supports only one.
 *
 *     client ── connection ── process 0 ──┐ link: requests there, deliveries back
 *     client ── connection ── process 1 ──┘
 *
 * - A connection belongs to the process that received it, which parses and writes its HTTP. A session belongs to the
 *   process that its id names. A request goes to its session's owner, which does everything else as a service of one
 *   process does: checks, faults, latency, order, statistics. Round-robin is even if few long-lived connections share a port; the kernel's distribution is not.
 * - Links are local sockets, written once per turn of the event loop. Copying a body costs less than a second HTTP parser, or a table of sessions in shared memory that each process would have to lock.
 * - New sessions are distributed round-robin, so that memory limits can be divided: each process has its part of `maxSessions` and
 *   `maxStoredCharacters`. Settings that only one process can keep for the whole (`undividedSettings`) make the first
 *   process own every session; the others parse HTTP for it. The service then behaves exactly like one process, which is also its limit.
 * - All count time from one instant of the machine's clock, so windows of faults are the same.
 * - An owner counts an exchange before its reply leaves; the statistics of all are requested after that, so they include every reply that a client has received.
 *
 * Throws an environment error if it cannot listen there.
 */
export async function startProcesses(
  options: ResolvedEmbedded,
  at: ServiceAddress,
  processes: number,
): Promise<ServiceProcesses> {
  const undivided = undividedSettings(options, processes);
  const owners = undivided.length > 0 ? 1 : processes;
  const { all, one, answer, failed, close } = forkWorkers(processes);
  const stats = async (): Promise<ServiceStats> => mergeStats(await all((call) => call('stats', undefined)));
  answer({
    stats,
    ledger: async (sessionId) => {
      const owner = ownerOf(sessionId, owners);
      return owner === undefined ? undefined : one(owner, (call) => call('ledger', sessionId));
    },
  });
  const startedAt = machineClock.now();
  const { paths, remove } = await makeSocketPaths(processes);
  try {
    await all((call, index) => call('open', { options, at, startedAt, paths, role: { index, owners } }));
    await all((call) => call('join', undefined));
    const [port = 0] = await all((call) => call('listen', undefined));
    return { baseUrl: baseUrlOf(at, port), undivided, stats, failed, close };
  } catch (thrown) {
    await close();
    throw thrown;
  } finally {
    await remove();
  }
}

type Call = Caller<WorkerCalls>;

/** Forks the processes of a service. When one of them ends by itself, all are ended: half a service would be measured wrongly. */
function forkWorkers(size: number) {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({
    exec: pathInPackage('dist/reference-service/processes/worker-process.js'),
    args: [],
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const workers = Array.from({ length: size }, () => cluster.fork().process);
  const ready = Promise.all(workers.map((worker) => once(worker, 'message')));
  const calls = workers.map((worker) => openCalls<WorkerCalls>(worker));
  let closed: Promise<unknown> | undefined;
  const close = async (): Promise<void> => {
    closed ??= Promise.all(workers.map(endProcess));
    await closed;
  };
  const failed = new Promise<never>((_, reject) => {
    for (const worker of workers)
      worker.once('exit', (code, signal) => {
        if (closed !== undefined) return;
        reject(ended(signal ?? `code ${String(code)}`));
        void close();
      });
  });
  // A rejection that no caller awaits is not a separate error.
  failed.catch(() => undefined);
  return {
    failed,
    close,
    /** Sets the functions that the processes call here. */
    answer: (api: SupervisorCalls): void => calls.forEach((each) => each.answer(api)),
    /** Calls every process; rejects when one ends meanwhile. */
    all: async <Answer>(ask: (call: Call, index: number) => Promise<Answer>): Promise<Answer[]> => {
      await Promise.race([ready, failed]);
      return Promise.race([Promise.all(calls.map(({ call }, index) => ask(call, index))), failed]);
    },
    one: <Answer>(index: number, ask: (call: Call) => Promise<Answer>): Promise<Answer | undefined> =>
      Promise.race([calls[index] && ask(calls[index].call), failed]),
  };
}

const ended = (how: string): ChatLoadError =>
  new ChatLoadError('environment', {
    message: `one of the processes of the service ended by itself (${how}), and with it its sessions`,
    hint: 'Start the service again; if the system ended it for its memory, lower maxSessions or maxStoredCharacters, or reduce --cores.',
  });
