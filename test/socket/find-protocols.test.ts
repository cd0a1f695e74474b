import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { seekProtocols } from '../../src/app/run/find-protocols.ts';
import type { FoundProtocols } from '../../src/conformance/contact/contact.ts';
import { protocolNames, protocols } from '../../src/protocol/registry/registry.ts';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import { openPeer, unusedPort } from '../support/http-peer.ts';
import { openService } from '../support/reference-client.ts';

const closing: (() => void)[] = [];
afterAll(() => closing.forEach((close) => close()));

interface Served {
  url: string;
  asked: string[];
}

async function serve(listener: RequestListener): Promise<Served> {
  const asked: string[] = [];
  const server = createServer((request, answer) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
    request.resume();
    listener(request, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, asked };
}

const json = (answer: ServerResponse, status: number, body: unknown): void =>
  void answer.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

/** Answers as FastAPI does: 422 for a bad body on the paths that exist. */
const fastApi =
  (...paths: string[]): RequestListener =>
  ({ url = '' }, answer) =>
    paths.includes(url)
      ? json(answer, 422, { detail: [{ type: 'missing', loc: ['body', 'messages'], msg: 'Field required' }] })
      : json(answer, 404, { detail: 'Not Found' });

const express: RequestListener = ({ url = '', method = '' }, answer) =>
  void answer
    .writeHead(404, { 'Content-Type': 'text/html' })
    .end(`<html><head><title>Error</title></head><pre>Cannot ${method} ${url}</pre></html>`);

const seek = (baseUrl: string, target: object = {}): Promise<FoundProtocols> => {
  const given = { agentId: 'm', apiKey: 'sk-good-key-123', baseUrl, ...target };
  return seekProtocols(resolveScenario({ name: 's', sessions: 1, messages: ['Hi'], target: given }, around), {
    baseUrl: new URL(baseUrl),
    alsoNearby: true,
  });
};
const around = { flags: {}, environment: {} };

const namesOf = ({ found }: FoundProtocols): string[] => found.map(({ name }) => name);

describe('the protocols of a service are found', () => {
  test('all with a path that identifies them, of the reference service, by requests that it refuses', async () => {
    const { baseUrl, stats } = await openService();
    const target = { agentId: embeddedDefaults.agentId, apiKey: embeddedDefaults.apiKey };
    const found = await seek(baseUrl, target);
    const named = protocolNames.filter((name) => 'paths' in protocols[name].protocol);
    expect(namesOf(found)).toEqual(named);
    expect(found.requests).toBe(named.length + 1);
    expect(found.found.every(({ isBelow, isKeyRefused, message }) => isBelow && !isKeyRefused && message !== '')).toBe(
      true,
    );
    expect(stats().turnsStored).toBe(0);
    const refused = await seek(baseUrl, { ...target, apiKey: 'another-key-456' });
    expect(refused.found.map(({ status, isKeyRefused }) => [status, isKeyRefused])).toEqual(
      refused.found.map(() => [401, true]),
    );
    expect(namesOf(refused)).toEqual(named);
  });

  test.each([
    ['FastAPI', fastApi('/v1/chat/completions'), ['openai-chat']],
    [
      'a LiteLLM proxy',
      ({ url = '' }: IncomingMessage, answer: ServerResponse) =>
        url === '/v1/chat/completions' || url === '/v1/messages'
          ? json(answer, 401, { error: { message: 'Invalid proxy server token passed', code: '401' } })
          : json(answer, 404, { detail: 'Not Found' }),
      ['openai-chat', 'anthropic-messages'],
    ],
    [
      'aimock, whose 404 has a message of its own',
      ({ url = '' }: IncomingMessage, answer: ServerResponse) =>
        url === '/v1/responses'
          ? json(answer, 404, { error: { message: 'No fixture matched', type: 'invalid_request_error' } })
          : void answer.writeHead(404).end('Not found'),
      ['openai-responses'],
    ],
    ['Express without any of them', express, []],
    ['a file server', (_: IncomingMessage, answer: ServerResponse) => void answer.writeHead(405).end(), []],
    [
      'a path that only GET has',
      ({ url = '' }: IncomingMessage, answer: ServerResponse) =>
        url === '/v1/responses'
          ? json(answer, 405, { detail: 'Method Not Allowed' })
          : json(answer, 404, { detail: 'Not Found' }),
      [],
    ],
    [
      'an API whose unknown paths have its own error shape',
      ({ url = '' }: IncomingMessage, answer: ServerResponse) =>
        url === '/v1/chat/completions'
          ? json(answer, 400, { error: { message: 'you must provide a model parameter', type: 'invalid' } })
          : json(answer, 404, { error: { message: `Invalid URL (POST ${url})`, type: 'invalid' } }),
      ['openai-chat'],
    ],
  ] as [string, RequestListener, string[]][])('of %s', async (_, listener, names) => {
    const { url } = await serve(listener);
    expect(namesOf(await seek(url))).toEqual(names);
  });

  test('with the service’s own message, without the key that it quotes', async () => {
    const { url } = await serve(({ url: path = '' }, answer) =>
      path === '/v1/messages'
        ? json(answer, 401, { error: { message: 'invalid x-api-key: sk-good-key-123' } })
        : json(answer, 404, {}),
    );
    expect((await seek(url)).found).toMatchObject([
      { name: 'anthropic-messages', status: 401, isKeyRefused: true, message: 'invalid x-api-key: [API key]' },
    ]);
  });
});

describe('nothing is found', () => {
  test('for a service that answers everything alike, which is reported', async () => {
    const { url, asked } = await serve((_, answer) => json(answer, 200, { ok: true }));
    const { found, requests, otherwise } = await seek(url);
    expect([found, otherwise]).toEqual([[], 'is answered with status 200']);
    expect(requests).toBe(asked.length);
  });

  test('for a service that never answers, within 5 s, or if nothing listens', async () => {
    const peer = await openPeer(() => undefined);
    const silent = await seek(`http://127.0.0.1:${String(peer.port)}`);
    expect([silent.found, silent.requests]).toEqual([[], 9]);
    const [, limit] = /^gets no response \(not within (\d+) ms\)$/.exec(silent.otherwise) ?? [];
    expect(Number(limit)).toBeLessThanOrEqual(5000);
    const closed = await seek(`http://127.0.0.1:${String(await unusedPort())}`);
    expect([closed.found, closed.otherwise]).toEqual([[], expect.stringContaining('ECONNREFUSED')]);
  });
});

test('a service that refuses every path but one prefix alike has no protocol elsewhere', async () => {
  const { url } = await serve(({ url: path = '' }, answer) =>
    path.startsWith('/app/') ? json(answer, 404, { detail: 'Not Found' }) : json(answer, 401, { detail: 'Log in' }),
  );
  expect((await seek(`${url}/app`)).found).toEqual([]);
});

describe('a base URL with a path that is not the path of the service', () => {
  test.each([
    ['lacks what is there: it is not repeated', '/v1', '/v1/chat/completions', true],
    ['doubles it', '/v1/v1', '/v1/chat/completions', false],
    ['has one that the service lacks', '/v1', '/chat/completions', false],
    ['is without one, as the service', '', '/chat/completions', false],
    ['has one that is not of chat-messaging', '/v1', '/api/developer/chat/messages', false],
    ['has a path of its own: the origin is searched', '/v1/chat/completion', '/v1/chat/completions', false],
    ['has an unknown path: the origin is searched', '/api', '/v1/messages', false],
    ['has the path of another resource', '/v1/models', '/v1/responses', false],
  ])('%s', async (_, given, path, isBelow) => {
    const { url } = await serve(fastApi(path));
    const { found, requests } = await seek(url + given);
    expect(found).toMatchObject([{ url: url + path, isBelow }]);
    expect(requests).toBeLessThanOrEqual(30);
  });
});
