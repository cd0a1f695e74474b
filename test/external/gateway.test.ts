import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runScenario, type Result } from '../../src/index.ts';
import type { RunningService } from '../../src/reference-service/start.ts';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import type { TargetOptions } from '../../src/scenario/scenario.ts';
import { requireNginx, startNginx, type Nginx } from '../support/nginx.ts';
import { openService } from '../support/reference-client.ts';

const turns = 400;

/** Typical gateways in front of services: they close connections, reload, and distribute sessions to machines. */
describe.runIf(requireNginx())('behind a gateway', () => {
  test('that closes each connection after ten exchanges, every turn is ok', async () => {
    const { nginx, services } = await openGateway('keepalive_requests 10; keepalive_timeout 1s 1s;');
    const result = await play(nginx);
    expectCounted(result, services);
    expect(result.rates.traffic?.connectionsOpened).toBeGreaterThanOrEqual(turns / 10);
  });

  test('that reloads its configuration during turns, no turn fails', async () => {
    const { nginx, services } = await openGateway();
    const result = await playWithReloads(nginx);
    expectCounted(result, services);
  });

  test('that uses HTTP/2 and closes its connections, no turn fails', async () => {
    const { nginx, services } = await openGateway('keepalive_requests 50;', { http2: true });
    const result = await playWithReloads(nginx, { http2: true, tls: { ca: certificate } });
    expectCounted(result, services);
    expect(result.transport?.exchanges).toMatchObject({ http1: 0 });
    expect(result.transport?.http2?.goAways).toBeGreaterThanOrEqual(1);
    // Each reload closes the connections, and a slow machine sees more of them.
    expect(result.rates.traffic?.connectionsOpened).toBeLessThan(turns / 4);
  });

  test('that binds sessions to a machine by a cookie, turns find their session if cookies are kept', async () => {
    const { nginx, services } = await openGateway('', { nodes: 2 });
    const result = await play(nginx, { cookies: true });
    expectCounted(result, services);
    expect(services.every(({ stats }) => stats().messages.received > 0)).toBe(true);
    // The number of lost sessions depends on how their turns interleave.
    const without = await play(nginx);
    expect(without.books.turns.failed).toBeGreaterThan(0);
  });
});

const certificate = 'test/fixtures/test-only-localhost.cert.pem';
const certificateKey = 'test/fixtures/test-only-localhost.key.pem';
const nodeNames = ['a', 'b'];

/** nginx before as many services as there are nodes, which do not know each other's sessions. */
async function openGateway(directives = '', { nodes = 1, http2 = false } = {}) {
  const services: RunningService[] = [];
  for (let node = 0; node < nodes; node++)
    services.push(await openService({ latency: { median: '5ms', sigma: 0.5 }, keys: [{ key }] }));
  const cases = services.map(({ baseUrl }, at) => `${nodeNames[at] ?? ''} ${new URL(baseUrl).host};`).join(' ');
  const secure = `ssl_certificate "${resolve(certificate)}"; ssl_certificate_key "${resolve(certificateKey)}";`;
  const nginx = await startNginx(
    (port) => `
  split_clients $request_id $fresh { ${nodes === 1 ? '' : '50% b;'} * a; }
  map $cookie_node $node { a a; b b; default $fresh; }
  map $node $machine { ${cases} }
  server {
    listen 127.0.0.1:${String(port)} ${http2 ? 'ssl http2' : ''};
    ${http2 ? secure : ''}
    ${directives}
    location / {
      proxy_pass http://$machine;
      add_header Set-Cookie "node=$node; Path=/" always;
    }
  }`,
  );
  return { nginx, services };
}

const key = embeddedDefaults.apiKey;

const play = ({ port }: Nginx, target: Partial<TargetOptions> = {}): Promise<Result> =>
  runScenario({
    name: 'gateway',
    sessions: turns / 4,
    turns: 4,
    load: { concurrency: 20 },
    messages: ['Hello'],
    thinkTime: '20ms',
    target: {
      baseUrl: `${target.tls === undefined ? 'http' : 'https'}://localhost:${String(port)}`,
      agentId: embeddedDefaults.agentId,
      apiKey: key,
      ...target,
    },
  });

/** Triggers reloads by the number of finished turns, not by time. */
async function playWithReloads(nginx: Nginx, target: Partial<TargetOptions> = {}): Promise<Result> {
  const reloads = setInterval(() => nginx.reload(), 50);
  try {
    return await play(nginx, target);
  } finally {
    clearInterval(reloads);
  }
}

/** Expects every turn to be ok, and the services' exchange counts to equal those of the result. */
function expectCounted(result: Result, services: readonly RunningService[]): void {
  expect(result.books.broken).toEqual([]);
  expect(result.books.turns).toMatchObject({ ok: turns, failed: 0 });
  const answered = services.reduce((sum, { stats }) => sum + stats().messages.classes.ok, 0);
  expect(answered).toBeGreaterThanOrEqual(turns);
  expect(answered).toBeLessThanOrEqual(result.books.attempts.total);
}
