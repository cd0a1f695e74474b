import { spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ServiceStats } from '../../src/reference-service/exchange/stats.ts';
import type { EmbeddedOptions } from '../../src/scenario/embedded.ts';
import { startPinned } from '../pinned.ts';

/** Protocols with streaming. */
export const protocols = ['openai-chat', 'openai-responses', 'anthropic-messages'] as const;
export type Protocol = (typeof protocols)[number];

/** Options of all these services: one agent without instructions, replies of a few events. */
export const service: EmbeddedOptions = {
  agents: [{ id: 'bench' }],
  keys: [{ key: 'bench-key' }],
  latency: '0ms',
  stream: { events: 6 },
};

export interface Service {
  baseUrl: string;
  stats: () => Promise<ServiceStats>;
}

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

interface ServiceStart {
  folder: string;
  options: EmbeddedOptions;
  /** Default: a free port of 127.0.0.1. */
  at?: { host: string; port: string };
  /** False to let the system select its core. */
  isPinned?: boolean;
}

/** Starts `chat-load serve`, usually on the target's core, passes it to `use`, and stops it. */
export async function withService<Value>(
  { folder, options, at = { host: '127.0.0.1', port: '0' }, isPinned = true }: ServiceStart,
  use: (service: Service) => Promise<Value>,
): Promise<Value> {
  const config = join(mkdtempSync(join(folder, 'service-')), 'service.json');
  writeFileSync(config, JSON.stringify(options));
  const words = ['serve', '--host', at.host, '--port', at.port, '--config', config];
  const how: SpawnOptions = { stdio: ['ignore', 'pipe', 'inherit'] };
  const child = isPinned
    ? startPinned('target', [process.execPath, main, ...words], how)
    : spawn(process.execPath, [main, ...words], how);
  try {
    if (child.stdout === null) throw new Error('the service has no standard output');
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const baseUrl = /https?:\/\/[^\s/]+/.exec(line)?.[0];
    if (baseUrl === undefined) throw new Error(`the service printed no address:  ${line}`);
    return await use({
      baseUrl,
      stats: async () => (await (await fetch(`${baseUrl}/stats`)).json()) as ServiceStats,
    });
  } finally {
    child.kill();
    await once(child, 'close');
  }
}
