import { createServer, type RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { ms } from '../../base/time.ts';
import type { Warning } from '../../result/sections/warning.ts';
import { followMetrics } from './follow-metrics.ts';
import { patient } from '../../../test/support/deadline.ts';
import { listenInTest } from '../../../test/support/listen-in-test.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  return `${await listenInTest(server)}/metrics`;
}

const text = '# TYPE c counter\nc_total 3\n';
const plain = { 'content-type': 'text/plain; version=0.0.4' };

/** Follows a server with 5 ms between scrapes. */
async function follow(url: string, { limitMs = 30_000, cut = new AbortController().signal, series = ['c'] } = {}) {
  const warned: Warning[] = [];
  const plan = { url, series, requests: null, everyMs: ms(5) };
  const tls = { rejectUnauthorized: true };
  const metrics = await followMetrics([plan], { tls, cut, limitMs, warn: (warning) => warned.push(warning) });
  return { warned, metrics };
}

test('warns about a machine without CPU left, by its idle time', async () => {
  let seconds = 0;
  const url = await serve((_, response) => {
    seconds++;
    const row = (mode: string, value: number): string =>
      `node_cpu_seconds_total{cpu="0",mode="${mode}"} ${String(value)}\n`;
    const total = `# TYPE node_cpu_seconds_total counter\n${row('user', 95 * seconds)}${row('idle', 5 * seconds)}`;
    response.writeHead(200, plain).end(total);
  });
  const plan = { url, series: null, requests: null, everyMs: ms(5) };
  const following = { tls: { rejectUnauthorized: true }, cut: new AbortController().signal, warn: () => undefined };
  const { begin, end } = await followMetrics([plan], following);
  begin();
  const { warnings } = await end();
  expect(warnings).toMatchObject([
    {
      code: 'target_cpu_busy',
      message: expect.stringMatching(
        /^The CPUs of this machine were up to 95.0 % busy between two scrapes: chat-load/,
      ) as string,
    },
  ]);
});

const megabyte = `${'garbage '.repeat(128)}\n`.repeat(1024);

const longMs = 30_000;
type HostileServer = readonly [name: string, listener: RequestListener, reason: string, limitMs: number];
const hostile: readonly HostileServer[] = [
  ['never responds', () => undefined, 'no complete response within 0.05 s', 50],
  [
    'never ends',
    (_, response) => {
      response.writeHead(200, plain).write(text);
    },
    'no complete response within 0.05 s',
    50,
  ],
  [
    'sends a gigabyte',
    (_, response) => {
      response.writeHead(200, plain);
      let sent = 0;
      const more = (): void => {
        while (!response.destroyed && sent++ < 1024)
          if (!response.write(megabyte)) return void response.once('drain', more);
        response.end();
      };
      more();
    },
    'the body is larger than 10 MB',
    longMs,
  ],
  [
    'sends garbage',
    (_, response) => response.writeHead(200, plain).end('\0\xff{{{\n'.repeat(100)),
    'none of the series c',
    longMs,
  ],
  [
    'sends garbage as a value',
    (_, response) => response.writeHead(200, plain).end('c_total three\n'),
    'line 1 is not in',
    longMs,
  ],
  [
    'sends one endless line',
    (_, response) => response.writeHead(200, plain).end('c'.repeat(1e6)),
    'longer than 64 kB',
    longMs,
  ],
  [
    'sends a page',
    (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    '(text/html)',
    longMs,
  ],
  ...(
    [
      ['metrics as one JSON string', JSON.stringify(text), 'a JSON string'],
      ['a JSON list', '[3]', 'a JSON document'],
      ['HTML without its type', '\n<!doctype html>\n<title>Log in</title>\n', 'an HTML or XML page'],
    ] as const
  ).map(
    ([name, body, reason]) =>
      [
        `sends ${name}`,
        (_, response) => response.writeHead(200, plain).end(body),
        `not metrics in Prometheus' text format: it is ${reason}`,
        longMs,
      ] satisfies HostileServer,
  ),
  [
    'redirects',
    (_, response) => response.writeHead(307, { location: '/metrics/' }).end(),
    'the new address is /metrics/',
    longMs,
  ],
  ['requires a key', (_, response) => response.writeHead(401).end(), 'the key of the target is not sent', longMs],
  ['fails', (_, response) => response.writeHead(500).end(text), 'status 500', longMs],
  [
    'compresses',
    (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text)),
    'compressed (gzip)',
    longMs,
  ],
  ['closes the connection', (request) => request.socket.destroy(), 'socket hang up', longMs],
];

test.each(hostile)('a server that %s is a warning with its reason', async (_, listener, reason, limitMs) => {
  const { warned, metrics } = await follow(await serve(listener), { limitMs });
  const { endpoints, warnings } = await metrics.end();
  expect(warned.map(({ code }) => code)).toEqual(['target_metrics_failed']);
  expect(endpoints[0]).toMatchObject({ scrapes: 2, failed: 2, metrics: [], isComplete: false });
  expect(endpoints[0]?.failure).toContain(reason);
  expect(warnings[0]?.message).toContain('2 of 2 scrapes');
  expect(warnings[0]?.remedy).toContain('curl http://127.0.0.1');
});

test('scrapes until the end over one connection, and then over three others, without credentials', async () => {
  const [fields, ports]: [string[][], Set<number | undefined>] = [[], new Set()];
  const url = await serve((request, response) => {
    fields.push(Object.keys(request.headers));
    ports.add(request.socket.remotePort);
    response.writeHead(200, plain).end(text.replace('3', String(fields.length)));
  });
  const { metrics, warned } = await follow(url);
  metrics.begin();
  await vi.waitUntil(() => fields.length >= 5, { ...patient, interval: 1 });
  const { endpoints, warnings } = await metrics.end();
  const [endpoint] = endpoints;
  expect([...warned, ...warnings]).toEqual([]);
  expect([...new Set(fields.flat())].sort()).toEqual(['accept', 'connection', 'host', 'user-agent']);
  expect(ports.size).toBe(4);
  const scrapes = fields.length - 3;
  expect(endpoint).toMatchObject({ scrapes, failed: 0, isComplete: true });
  expect(endpoint?.metrics[0]).toMatchObject({ before: 1, after: scrapes, increase: scrapes - 1 });
});

test('a series that no scrape has is a warning, first before the load', async () => {
  const url = await serve((_, response) => response.writeHead(200, plain).end(text));
  const { metrics, warned } = await follow(url, { series: ['c', 'nonsense'] });
  const { warnings } = await metrics.end();
  const missing = { code: 'target_metrics_missing', message: `${url} has no series nonsense.` };
  expect(warned).toMatchObject([missing]);
  expect(warnings).toMatchObject([missing]);
});

test.each<[string, string]>([
  ['is declared', '# HELP c_total Requests.\n# TYPE c_total counter\n'],
  ['is not there', 'other_total 7\n'],
])('a counter that %s before its first request counts from zero', async (_, before) => {
  let count = 0;
  const url = await serve((_request, response) => response.writeHead(200, plain).end(count++ === 0 ? before : text));
  const { metrics } = await follow(url, { series: ['c_total'] });
  metrics.begin();
  const { endpoints, warnings } = await metrics.end();
  expect(warnings).toEqual([]);
  expect(endpoints[0]).toMatchObject({ failed: 0, isComplete: true });
  expect(endpoints[0]?.metrics[0]).toMatchObject({ before: 0, increase: 3, isExact: true });
});

test('an increase after a first scrape that failed is a lower bound', async () => {
  let count = 0;
  const url = await serve((_request, response) => response.writeHead(count++ === 0 ? 500 : 200, plain).end(text));
  const { metrics } = await follow(url, { series: ['c_total'] });
  const { endpoints } = await metrics.end();
  expect(endpoints[0]).toMatchObject({ failed: 1, isComplete: false });
  expect(endpoints[0]?.metrics[0]?.isExact).toBe(false);
});

test('repeats a scrape whose idle connection the server had closed', async () => {
  let count = 0;
  const url = await serve((request, response) => {
    // The second request on a connection meets its end.
    if (++count === 2) return void request.socket.destroy();
    response.writeHead(200, plain).end(text);
  });
  const { metrics } = await follow(url);
  const { endpoints } = await metrics.end();
  // The last three are those after the run.
  expect([count, endpoints[0]?.failed]).toEqual([3 + 3, 0]);
});

test('withholds the figures of several processes behind one port, also in a run of two scrapes, and names the remedy', async () => {
  const values = [500, 20];
  let scrapes = 0;
  const url = await serve((_, response) => {
    response.writeHead(200, plain).end(`c_total ${String(values[scrapes++ % 2])}\n`);
  });
  const { metrics } = await follow(url);
  const { endpoints, warnings } = await metrics.end();
  expect(endpoints).toMatchObject([{ scrapes: 2, failed: 0, metrics: [], withheld: expect.any(String) as string }]);
  expect(warnings).toMatchObject([
    {
      code: 'target_metrics_withheld',
      message: expect.stringContaining(`The figures of ${url} are withheld, because several processes`) as string,
      remedy: expect.stringContaining('Name the metrics of each process') as string,
    },
  ]);
});

test('ends with the first failure of the scrapes after the run, which is not a failure of the endpoint', async () => {
  let scrapes = 0;
  const url = await serve((request, response) => {
    if (++scrapes > 2) return void request.socket.destroy();
    response.writeHead(200, plain).end(text);
  });
  const { metrics } = await follow(url);
  const { endpoints, warnings } = await metrics.end();
  expect([scrapes, warnings]).toEqual([3, []]);
  expect(endpoints[0]).toMatchObject({ scrapes: 2, failed: 0, isComplete: true, withheld: null });
});

test('a cut ends a scrape at once', async () => {
  const cut = new AbortController();
  const url = await serve(() => cut.abort());
  const { metrics } = await follow(url, { cut: cut.signal });
  expect((await metrics.end()).endpoints[0]).toMatchObject({ scrapes: 2, failed: 2 });
});

test('a refused connection is named', async () => {
  const { metrics } = await follow('http://127.0.0.1:1/metrics');
  expect((await metrics.end()).endpoints[0]?.failure).toContain('ECONNREFUSED');
});
