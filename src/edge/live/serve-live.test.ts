import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { serveLive, type LiveButton, type LiveServer } from './serve-live.ts';

const token = 'the-token';
const page = { html: '<p>page</p>', policy: "default-src 'none'" };
const opened: LiveServer[] = [];

interface Opened extends LiveServer {
  pressed: LiveButton[];
}

async function open(over: Partial<Parameters<typeof serveLive>[0]> = {}): Promise<Opened> {
  const pressed: LiveButton[] = [];
  const greet = () => ({ event: 'page', data: '"so far"' });
  const press = (button: LiveButton): void => void pressed.push(button);
  const server = await serveLive({ host: '127.0.0.1', port: 0, token, page, greet, press, ...over });
  opened.push(server);
  return { ...server, pressed };
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});

interface Asked {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
}

interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

async function ask(port: number, { method = 'GET', path = `/${token}/`, headers = {} }: Asked): Promise<Answered> {
  const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.setEncoding('utf8');
  let body = '';
  response.on('data', (text: string) => (body += text));
  await once(response, 'end');
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

/** A viewer: all text received so far, and the end of its connection. */
async function view(port: number) {
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('utf8');
  socket.write(`GET /${token}/events HTTP/1.1\r\nHost: 127.0.0.1:${String(port)}\r\n\r\n`);
  let text = '';
  const waiting = new Set<() => void>();
  socket.on('data', (more: string) => {
    text = (text + more).slice(-100_000);
    for (const check of waiting) check();
  });
  const ended = once(socket, 'close');
  const hasRead = (part: string): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!text.includes(part)) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  await hasRead('so far');
  return { socket, ended, hasRead, read: () => text };
}

describe('the live page', () => {
  test('is served under its token, with a policy and nothing that is stored or passed on', async () => {
    const { port } = await open();
    const { status, headers, body } = await ask(port, {});
    expect([status, body]).toEqual([200, page.html]);
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test.each<[string, Asked]>([
    ['another token', { path: '/another-one/' }],
    ['a token that begins alike', { path: '/the-toke/' }],
    ['no token', { path: '/' }],
    ['another path', { path: `/${token}/result` }],
    ['a path further down', { path: `/${token}/events/more` }],
    ['another method', { method: 'DELETE' }],
    ['a button by GET', { path: `/${token}/drain` }],
    ['a name that was pointed at this machine', { headers: { host: 'evil.example:PORT' } }],
    ['the name with the right port in front', { headers: { host: '127.0.0.1:PORT.evil.example' } }],
    ['another port', { headers: { host: '127.0.0.1:1' } }],
    [
      'a button pressed by a page elsewhere',
      { method: 'POST', path: `/${token}/cut`, headers: { origin: 'https://evil.example' } },
    ],
    [
      'a button pressed by a page without an origin',
      { method: 'POST', path: `/${token}/cut`, headers: { origin: 'null' } },
    ],
    ['events for a page elsewhere', { path: `/${token}/events`, headers: { origin: 'http://127.0.0.1:1' } }],
  ])('is unknown to a request with %s', async (_, asked) => {
    const { port, pressed } = await open();
    const headers = Object.fromEntries(
      Object.entries(asked.headers ?? {}).map(([name, value]) => [name, value.replace('PORT', String(port))]),
    );
    const { status, body } = await ask(port, { ...asked, headers });
    expect([status, body, pressed]).toEqual([404, 'Not found.\n', []]);
  });

  test('is reached only by the names of this machine', async () => {
    const { port } = await open();
    for (const name of ['localhost', '127.0.0.1', '127.1.2.3'])
      expect((await ask(port, { headers: { host: `${name}:${String(port)}` } })).status).toBe(200);
    for (const name of ['10.0.0.1', 'localhost.evil.example'])
      expect((await ask(port, { headers: { host: `${name}:${String(port)}` } })).status).toBe(404);
  });

  test('is reached by any address, but not by foreign names, if it listens on all addresses', async () => {
    const { port } = await open({ host: '0.0.0.0' });
    expect((await ask(port, { headers: { host: `10.0.0.1:${String(port)}` } })).status).toBe(200);
    expect((await ask(port, { headers: { host: `evil.example:${String(port)}` } })).status).toBe(404);
  });

  test('forwards its buttons', async () => {
    const { port, pressed } = await open();
    const origin = `http://127.0.0.1:${String(port)}`;
    for (const path of [`/${token}/drain`, `/${token}/cut`])
      expect((await ask(port, { method: 'POST', path, headers: { origin } })).status).toBe(202);
    expect(pressed).toEqual(['drain', 'cut']);
  });

  test('rejects if its port is in use', async () => {
    const { port } = await open();
    await expect(open({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('viewers', () => {
  test('who connect late first receive the earlier events, and then the same as all', async () => {
    const { port, viewers } = await open();
    const early = await view(port);
    viewers.send('step', '1');
    await early.hasRead('data: 1\n');
    const late = await view(port);
    viewers.send('step', '2');
    await Promise.all([early.hasRead('data: 2\n'), late.hasRead('data: 2\n')]);
    const events = (text: string): string[] => [...text.matchAll(/data: (.*)/g)].map(([, data]) => data ?? '');
    expect([events(early.read()), events(late.read())]).toEqual([
      ['"so far"', '1', '2'],
      ['"so far"', '2'],
    ]);
  });

  test('who do not read are disconnected, and delay nobody', async () => {
    const { port, viewers } = await open();
    const [slow, quick] = [await view(port), await view(port)];
    slow.socket.pause();
    const data = JSON.stringify('x'.repeat(1024 * 1024));
    for (let each = 1; viewers.count === 2 && each < 100; each++) {
      viewers.send('step', data);
      viewers.send('mark', String(each));
      await quick.hasRead(`data: ${String(each)}\n`);
    }
    expect(viewers.count).toBe(1);
    viewers.send('step', '"still there"');
    await quick.hasRead('still there');
  });

  test('who have disconnected are forgotten', async () => {
    const { port, viewers } = await open();
    const { socket, ended } = await view(port);
    socket.destroy();
    await ended;
    for (let each = 0; viewers.count > 0 && each < 1000; each++) await new Promise((resolve) => setImmediate(resolve));
    expect(viewers.count).toBe(0);
  });

  test('receive the last update before the page is closed', async () => {
    const { port, viewers, close } = await open();
    const viewer = await view(port);
    viewers.send('ended', '"the end"');
    await close();
    await viewer.ended;
    expect(viewer.read()).toContain('data: "the end"\n');
  });
});
