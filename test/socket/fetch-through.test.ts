import { createServer, type Server } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { readProxyServer } from '../../src/base/proxy-server.ts';
import { fetchThrough } from '../../src/edge/http/fetch-through.ts';
import { localhostIdentity } from '../support/localhost-identity.ts';

const { cert: certificate, key } = localhostIdentity;

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Opens a server with its own certificate that echoes the requests it receives. */
const openServer = (): Promise<number> =>
  portOf(
    createTlsServer({ cert: certificate, key }, (request, response) => {
      void text(request).then((body) => response.end(JSON.stringify({ body, type: request.headers['content-type'] })));
    }),
  );

const form = {
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'a b' }),
};
const received = { body: 'grant_type=client_credentials&scope=a+b', type: 'application/x-www-form-urlencoded' };

test('a form goes to a server whose authority was named, and to no other', async () => {
  const url = `https://localhost:${String(await openServer())}/token`;
  const response = await fetchThrough({ tls: { ca: certificate, servername: 'target' }, proxy: undefined })(url, form);
  expect([response.status, await response.json()]).toEqual([200, received]);
  await expect(fetchThrough({ tls: {}, proxy: undefined })(url, form)).rejects.toThrow(/certificate/);
});

test('a form goes over HTTP/2 to a server that speaks nothing else', async () => {
  const versions: string[] = [];
  const server = createSecureServer({ cert: certificate, key }, (request, response) => {
    versions.push(request.httpVersion);
    response.setHeader('content-type', 'application/json');
    void text(request).then((body) => response.end(JSON.stringify({ body, type: request.headers['content-type'] })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `https://localhost:${String((server.address() as AddressInfo).port)}/token?tenant=a`;
  const response = await fetchThrough({ tls: { ca: certificate }, proxy: undefined })(url, form);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect([await response.json(), versions]).toEqual([received, ['2.0']]);
});

test('a form goes through the proxy, with its credentials', async () => {
  const port = await openServer();
  const asked: (string | undefined)[] = [];
  const proxy = createServer().on('connect', ({ url, headers }, socket) => {
    asked.push(url, headers['proxy-authorization']);
    const onward = connect(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    onward.pipe(socket).pipe(onward);
    for (const each of [onward, socket]) each.on('error', () => each.destroy());
  });
  const server = readProxyServer(`http://me:secret@127.0.0.1:${String(await portOf(proxy))}`);
  const url = `https://localhost:${String(port)}/token`;
  const response = await fetchThrough({ tls: { ca: certificate }, proxy: server })(url, form);
  expect(await response.json()).toEqual(received);
  expect(asked).toEqual([`localhost:${String(port)}`, `Basic ${Buffer.from('me:secret').toString('base64')}`]);
});
