import { once } from 'node:events';
import { hostname } from 'node:os';
import { request, type IncomingMessage } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { openSmallServer, type Exchange } from './small-server.ts';

async function open(host: string, answer = ({ response }: Exchange): void => void response.end('here')) {
  const refuse: Parameters<typeof openSmallServer>[0]['refuse'] = (response) => void response.writeHead(404).end();
  const { server, port } = await openSmallServer({ host, port: 0, answer, refuse });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return async (name: string, fields: Record<string, string> = {}): Promise<number | undefined> => {
    const headers = { host: name, ...fields };
    const sent = request({ host: '127.0.0.1', port, headers, agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
}

test.each([
  [
    '127.0.0.1',
    ['localhost', 'LOCALHOST:1', '127.0.0.1:9464', '127.1.2.3', '[::1]:80'],
    ['10.0.0.1', 'loadgen', 'a.local'],
  ],
  [
    '0.0.0.0',
    ['10.0.0.1:9464', '[fd00::1]', 'loadgen:80', 'run.namespace.svc', 'a.local', hostname()],
    ['a.example', 'b.co'],
  ],
])('a server that listens on %s answers to its own names, and to no others', async (host, own, foreign) => {
  const ask = await open(host);
  for (const name of own) expect([name, await ask(name)]).toEqual([name, 200]);
  for (const name of [...foreign, 'localhost.evil.example', '[::%', 'a b', '127.0.0.1:x'])
    expect([name, await ask(name)]).toEqual([name, 404]);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('broken');
    },
  ],
  ['rejects', () => Promise.reject(new Error('broken'))],
])('an answer that %s is a 500, and the next request is answered', async (_, fail) => {
  let isBroken = true;
  const ask = await open('127.0.0.1', (exchange) =>
    isBroken ? (fail() as never) : void exchange.response.end('here'),
  );
  expect(await ask('localhost')).toBe(500);
  isBroken = false;
  expect(await ask('localhost')).toBe(200);
});

test.each([
  ['none', 200, {}],
  ['same-origin', 200, { 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' }],
  ['same-site', 404, { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'script' }],
  ['cross-site', 404, { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' }],
  ['cross-site', 404, { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' }],
  ['cross-site', 404, {}],
  // A followed link, which reveals nothing to the linking page.
  ['cross-site', 200, { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }],
])('a request that a browser marks as %s is answered with %i: %j', async (site, status, fields) => {
  const ask = await open('127.0.0.1');
  expect(await ask('localhost', { 'Sec-Fetch-Site': site, ...fields })).toBe(status);
});
