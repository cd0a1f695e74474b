import type { SettledEmbedded } from '../../scenario/embedded.ts';
import { machineClock } from '../../edge/clock.ts';
import { baseUrlOf, type ServiceAddress } from '../start.ts';
import type { ServiceStats } from '../exchange/stats.ts';
import { undividedSettings } from './deal-options.ts';
import { mergeStats } from './merge-stats.ts';
import { ownerOf } from './session-owner.ts';
import { makeSocketPaths } from './mesh.ts';
import { WorkerGroup } from './worker-group.ts';
import type { SupervisorCalls, WorkerStart } from './worker.ts';

export interface ServiceProcesses {
  /** Without a trailing slash. */
  baseUrl: string;
  /** The settings for which one process has all sessions. */
  undivided: readonly string[];
  stats: () => Promise<ServiceStats>;
  /** Rejects when one of the processes ended by itself; the others have been ended then. */
  failed: Promise<never>;
  /** Cuts what is under way, and ends the processes. */
  close: () => Promise<void>;
}

/**
 * Starts the reference service in several processes behind one address; this process only accepts connections and deals
 * them out in turn. At most one such service per process, since `node:cluster` serves one.
 *
 *     client ── connection ── process 0 ──┐ link: requests there, deliveries back
 *     client ── connection ── process 1 ──┘
 *
 * - A connection belongs to the process that it was dealt to, which parses and writes its HTTP. A session belongs to the
 *   process that its id names. A request goes to its session's owner, which does everything else as a service of one
 *   process does it: checks, faults, latency, order, books. Dealt connections are even where few long-lived ones share a
 *   port; where the kernel deals them out, they are not.
 * - Links are sockets of the system, written once per turn of the event loop. A copy of a body costs less there than a
 *   second parser of HTTP, or a table of sessions in shared memory that each process would have to lock.
 * - New sessions are dealt out in turn, so that limits on memory can be: each process has its part of `maxSessions` and
 *   `maxStoredCharacters`. What only one process can keep for the whole (`undividedSettings`) makes the first process own
 *   every session; the others parse HTTP for it. Then all is exactly as in one process, and it is the limit.
 * - All count time from one instant of the machine's clock, so windows of faults are the same.
 * - An owner counts an exchange before its reply leaves; the books of all are asked for after that, so they are never
 *   behind what a client knows.
 *
 * Throws an environment error when it cannot listen there.
 */
export async function startProcesses(
  options: SettledEmbedded,
  at: ServiceAddress,
  processes: number,
): Promise<ServiceProcesses> {
  const undivided = undividedSettings(options, processes);
  const owners = undivided.length > 0 ? 1 : processes;
  const group = new WorkerGroup(processes);
  const inspection = inspectionOf(group, owners);
  group.answer(inspection);
  try {
    const port = await openAll(group, { options, at, owners });
    return {
      baseUrl: baseUrlOf(at, port),
      undivided,
      stats: () => inspection.stats(),
      failed: group.failed,
      close: () => group.close(),
    };
  } catch (failed) {
    await group.close();
    throw failed;
  }
}

function inspectionOf(group: WorkerGroup, owners: number): SupervisorCalls {
  return {
    stats: async () => mergeStats(await group.all((call) => call('stats', undefined))),
    ledger: async (sessionId) => {
      const owner = ownerOf(sessionId, owners);
      return owner === undefined ? undefined : group.one(owner, (call) => call('ledger', sessionId));
    },
  };
}

type Start = Pick<WorkerStart, 'options' | 'at'> & { owners: number };

/** Gives the port. */
async function openAll(group: WorkerGroup, { owners, ...start }: Start): Promise<number> {
  const startedAt = machineClock.now();
  const { size: processes } = group;
  const { paths, remove } = await makeSocketPaths(processes);
  try {
    await group.all((call, index) => call('open', { ...start, startedAt, paths, place: { index, processes, owners } }));
    await group.all((call) => call('join', undefined));
  } finally {
    await remove();
  }
  const [port = 0] = await group.all((call) => call('listen', undefined));
  return port;
}
