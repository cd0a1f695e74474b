import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ChatLoadError } from '../../base/errors.ts';
import type { SettledEmbedded } from '../../scenario/embedded.ts';
import type { FromService, ToService } from './embedded-process.ts';
import type { ServiceStats } from './stats.ts';

/** The reference service in a process of its own, so that it does not share the generator's core. */
export interface EmbeddedService {
  baseUrl: string;
  pid: number;
  /** Its books; asked for over the process's own channel, so that asking is in no book. */
  stats(): Promise<ServiceStats>;
  /** Ends the process; cuts what is under way. */
  close(): Promise<void>;
}

/**
 * Starts the embedded service on a free loopback port. The process ends with this one, however this one ends, and
 * ignores the terminal's signals, so that sessions can drain.
 */
export async function startEmbedded(options: SettledEmbedded): Promise<EmbeddedService> {
  const child = fork(processModule(), [], { execArgv: [], serialization: 'json', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}
