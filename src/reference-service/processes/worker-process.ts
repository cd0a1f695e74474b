import { machineClock } from '../../edge/clock.ts';
import type { Instant } from '../../base/time.ts';
import type { ResolvedEmbedded } from '../../scenario/embedded.ts';
import { loadApis } from '../apis/registry.ts';
import { openParentCalls, reportReady } from '../calls.ts';
import { snapshotOf, type ServiceStats, type StatsSnapshot } from '../exchange/stats.ts';
import { ledgerOf } from '../routes/inspection.ts';
import type { Peers } from '../exchange/service-context.ts';
import { createService } from '../service.ts';
import { listenAt, providerFor, type ServiceAddress } from '../start.ts';
import { dealOptions, newSessionId } from './deal-options.ts';
import { openMesh } from './mesh.ts';
import { Switchboard, type ProcessRole } from './switchboard.ts';

/** Settings of one process of a service. */
interface WorkerStart {
  /** Options of the whole service. */
  options: ResolvedEmbedded;
  at: ServiceAddress;
  role: ProcessRole;
  /** By the machine's clock. */
  startedAt: Instant;
  /** Local sockets where the processes await links from each other, by number. */
  paths: readonly string[];
}

/**
 * Calls of the supervisor. The first three are made once and in this order, each to all processes before the next call.
 */
export interface WorkerCalls {
  open(start: WorkerStart): Promise<void>;
  join(): Promise<void>;
  /** Returns the port. */
  listen(): Promise<number>;
  stats(): StatsSnapshot;
  /** Returns the turns of a session of this process. */
  ledger(sessionId: string): object | undefined;
}

/** Calls to the supervisor. */
export interface SupervisorCalls {
  stats(): Promise<ServiceStats>;
  ledger(sessionId: string): Promise<object | undefined>;
}

// The main module of one process of a service that has several. It ends when its supervisor does, however that one ends:
// node:cluster sees to that.
const { call, answer } = openParentCalls<SupervisorCalls>();
let opened: Awaited<ReturnType<typeof open>> | undefined;
const calls: WorkerCalls = {
  open: async (start) => {
    opened = await open(start);
  },
  join: () => ready().join(),
  listen: () => listenAt(ready().service.server, ready().at),
  stats: () => snapshotOf(ready().service.context),
  ledger: (sessionId) => ledgerOf(ready().service.context, sessionId),
};
answer(calls);
reportReady();

function ready() {
  if (opened === undefined) throw new Error('the process has not been opened');
  return opened;
}

async function open({ options, at, role, startedAt, paths }: WorkerStart) {
  const dealt = dealOptions(options, role);
  // If a process ends, its sessions are lost, so the supervisor ends the whole service.
  const join = await openMesh(role.index, paths, () => process.exit(1));
  let switchboard: Switchboard | undefined;
  const apis = await loadApis();
  const provider = await providerFor(dealt, at, machineClock);
  const peers: Peers = {
    startedAt,
    newSessionId: () => newSessionId(role.index),
    forward: (request) => switchboard?.forward(request) ?? false,
    stats: () => call('stats', undefined),
    ledger: (sessionId) => call('ledger', sessionId),
  };
  const service = createService({ options: dealt, apis, provider, clock: machineClock, peers }, at.tls);
  return {
    service,
    at,
    join: async () => {
      switchboard = new Switchboard({ context: service.context, apis, role }, await join());
    },
  };
}
