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

interface Service {
  baseUrl: string;
  stats: () => Promise<ServiceStats>;
}

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Starts `chat-load serve` on the target's core, passes it to `use`, and stops it. */
export async function withService<Value>(
  { folder, options }: { folder: string; options: EmbeddedOptions },
  use: (service: Service) => Promise<Value>,
): Promise<Value> {
  const config = join(mkdtempSync(join(folder, 'service-')), 'service.json');
  writeFileSync(config, JSON.stringify(options));
  const child = startPinned('target', [process.execPath, main, 'serve', '--port', '0', '--config', config], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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
