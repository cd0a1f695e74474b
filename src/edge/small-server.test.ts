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
  return async (name: string): Promise<number | undefined> => {
    const sent = request({ host: '127.0.0.1', port, headers: { host: name }, agent: false }).end();
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
