import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ChatLoadError, messageOf } from '../base/errors.ts';
import type { Clock, Instant } from '../base/time.ts';
import type { ResolvedEmbedded } from '../scenario/embedded.ts';
import { systemClock } from '../edge/clock.ts';
import { reachableHost } from '../edge/small-server.ts';
import type { CompletionsOptions } from './conversation/completions-provider.ts';
import type { Provider } from './conversation/provider.ts';
import { scriptedProvider } from './conversation/scripted-provider.ts';
import { loadApis } from './apis/registry.ts';
import { createService, type TlsIdentity } from './service.ts';
import type { ServiceStats } from './exchange/stats.ts';

export interface ServiceAddress {
  host: string;
  /** 0 selects a free port. */
  port: number;
  tls?: TlsIdentity;
  /** Endpoint that makes the replies instead of the scripted agent; `latency` and `capacity` are then ignored. */
  completions?: CompletionsOptions;
}

export interface RunningService {
  /** Without a trailing slash. */
  baseUrl: string;
  stats: () => ServiceStats;
  /** Cuts exchanges in progress. */
  close: () => Promise<void>;
}

/** Starts the reference service in this process. Throws an environment error if it cannot listen there. */
export async function startService(options: ResolvedEmbedded, at: ServiceAddress): Promise<RunningService> {
  const clock = new StoppableClock(systemClock);
  const provider = await providerFor(options, at, clock);
  const service = createService({ options, apis: await loadApis(), provider, clock }, at.tls);
  const port = await listenAt(service.server, at).catch(async (failed: unknown) => {
    await service.close();
    throw failed;
  });
  return {
    baseUrl: baseUrlOf(at, port),
    stats: () => service.stats(),
    close: async () => {
      await service.close();
      clock.stop();
    },
  };
}

/** Returns the provider of replies: the scripted agent, or a configured endpoint. */
async function providerFor(
  options: ResolvedEmbedded,
  { completions }: ServiceAddress,
  clock: Clock,
): Promise<Provider> {
  if (completions === undefined) return scriptedProvider(options, clock);
  // Imported on demand: with its parser of replies, it takes longer to load than the rest of the service.
  return (await import('./conversation/completions-provider.ts')).completionsProvider(completions);
}

/** Starts to listen and returns the port. Throws an environment error if the server cannot listen there. */
export async function listenAt(server: Server, at: ServiceAddress, hint = usualHint): Promise<number> {
  try {
    // A backlog for many clients that connect at once; the system may allow less.
    server.listen({ host: bindable(at.host), port: at.port, backlog: 8192 });
    await once(server, 'listening');
  } catch (failed) {
    throw cannotListen(at, failed, hint);
  }
  return (server.address() as AddressInfo).port;
}

/** Returns the URL for clients of this machine, without a trailing slash. */
function baseUrlOf({ host, tls }: ServiceAddress, port: number): string {
  return `${tls ? 'https' : 'http'}://${reachableHost(host)}:${String(port)}`;
}

/** Returns the address to bind: `localhost` may have two addresses, and a server listens only on the first. */
const bindable = (host: string): string => (host === 'localhost' ? '127.0.0.1' : host);

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  ERR_SOCKET_BAD_PORT: 'a port is a whole number from 0 to 65535',
};

const usualHint = 'Use another port with --port (0 selects a free port), or another --host.';

function cannotListen({ host, port }: ServiceAddress, failed: unknown, hint: string): ChatLoadError {
  const code = failed instanceof Error && 'code' in failed ? failed.code : undefined;
  const why = (typeof code === 'string' ? reasons[code] : undefined) ?? messageOf(failed);
  return new ChatLoadError(code === 'ERR_SOCKET_BAD_PORT' ? 'usage' : 'environment', {
    message: `cannot listen on ${host}, port ${String(port)}: ${why}`,
    hint,
    cause: failed,
  });
}

/** A clock whose wake-ups can all be cancelled, so that none keeps the process alive. */
export class StoppableClock implements Clock {
  readonly #clock: Clock;
  readonly #pending = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): Instant {
    return this.#clock.now();
  }

  readAt(): Instant {
    return this.#clock.readAt();
  }

  wallNow(): number {
    return this.#clock.wallNow();
  }

  wakeAt(at: Instant, wake: () => void): () => void {
    const cancel = this.#clock.wakeAt(at, () => {
      this.#pending.delete(cancel);
      wake();
    });
    this.#pending.add(cancel);
    return () => {
      this.#pending.delete(cancel);
      cancel();
    };
  }

  /** Cancels all pending wake-ups. */
  stop(): void {
    for (const cancel of this.#pending) cancel();
    this.#pending.clear();
  }
}
