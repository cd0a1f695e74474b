import { machineClock } from '../../edge/clock.ts';
import type { Instant } from '../../base/time.ts';
import type { SettledEmbedded } from '../../scenario/embedded.ts';
import { loadApis } from '../apis/registry.ts';
import { ledgerOf } from '../routes/inspection.ts';
import { createService, type Service } from '../service.ts';
import { listenAt, providerFor, type ServiceAddress } from '../start.ts';
import { snapshotOf, type ServiceStats, type StatsSnapshot } from '../exchange/stats.ts';
import type { Caller } from '../calls.ts';
import { dealOptions } from './deal-options.ts';
import { openMesh } from './mesh.ts';
import { newSessionId } from './session-owner.ts';
import { Switchboard, type Place } from './switchboard.ts';

/** How a process of a service begins. */
export interface WorkerStart {
  /** Those of the whole service. */
  options: SettledEmbedded;
  at: ServiceAddress;
  place: Place;
  /** By the machine's clock. */
  startedAt: Instant;
  /** Where each process awaits links from others, by its number. */
  paths: readonly string[];
}

/** What the supervisor asks of each process: the first three once and in this order, each of all before the next. */
export interface WorkerCalls {
  open(start: WorkerStart): Promise<void>;
  join(): Promise<void>;
  /** Gives the port. */
  listen(): Promise<number>;
  stats(): StatsSnapshot;
  /** The turns of a session of this process. */
  ledger(sessionId: string): object | undefined;
}

/** What a process asks of the supervisor. */
export interface SupervisorCalls {
  stats(): Promise<ServiceStats>;
  ledger(sessionId: string): Promise<object | undefined>;
}

/** One process of a service that has several. `lost` is called when another one cannot be reached any more. */
export function createWorker(supervisor: Caller<SupervisorCalls>, lost: () => void): WorkerCalls {
  let opened: Opened | undefined;
  const ready = (): Opened => {
    if (opened === undefined) throw new Error('asked before it was opened');
    return opened;
  };
  return {
    open: async (start) => {
      opened = await open(start, supervisor, lost);
    },
    join: () => ready().join(),
    listen: () => listenAt(ready().service.server, ready().at),
    stats: () => snapshotOf(ready().service.context),
    ledger: (sessionId) => ledgerOf(ready().service.context, sessionId),
  };
}

interface Opened {
  service: Service;
  at: ServiceAddress;
  join: () => Promise<void>;
}

async function open(
  { options, at, place, startedAt, paths }: WorkerStart,
  ask: Caller<SupervisorCalls>,
  lost: () => void,
): Promise<Opened> {
  const dealt = dealOptions(options, place);
  const mesh = await openMesh(place, (index) => paths[index] ?? '', lost);
  let switchboard: Switchboard | undefined;
  const apis = await loadApis();
  const service = createService(
    {
      options: dealt,
      apis,
      provider: await providerFor(dealt, at, machineClock),
      clock: machineClock,
      peers: {
        startedAt,
        newSessionId: () => newSessionId(place.index),
        forward: (request) => switchboard?.forward(request) ?? false,
        stats: () => ask('stats', undefined),
        ledger: (sessionId) => ask('ledger', sessionId),
      },
    },
    at.tls,
  );
  const join = async (): Promise<void> => {
    switchboard = new Switchboard({ room: service.context, apis, place }, await mesh.join());
  };
  return { service, at, join };
}
