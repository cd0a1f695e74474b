import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { ms } from '../../base/time.ts';
import { completionsProvider } from './completions-provider.ts';
import { StoredConversation } from './conversation.ts';
import { compileInstructions } from './instructions.ts';
import type { Prompt } from './provider.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Opens a completions endpoint with this answer, and returns its base URL. */
async function openEndpoint(answer: (response: ServerResponse, request: IncomingMessage) => void): Promise<string> {
  const server = createServer((request, response) => answer(response, request)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  stops.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
}

const completion = (content: unknown): string =>
  JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] });

function prompt(values: Record<string, unknown> = { name: 'Ada' }): Prompt {
  const earlier = new StoredConversation({ turns: 10, characters: 1e6 });
  earlier.add({ message: 'Hello', response: 'Hi there', createdAt: '' });
  return { briefing: compileInstructions('Talk to {{name}}.')(values), earlier, message: 'And now?' };
}

describe('the completions provider', () => {
  test('sends instructions, earlier turns and message, and replies with the content', async () => {
    const seen: { url: string | undefined; key: string | undefined; body: unknown }[] = [];
    const url = await openEndpoint((response, request) => {
      void text(request).then((body) => {
        seen.push({ url: request.url, key: request.headers.authorization, body: JSON.parse(body) });
        response.end(completion('Soon.'));
      });
    });
    const provider = completionsProvider({ url, model: 'small', apiKey: 'secret' });
    expect(await provider.answer(prompt())).toEqual({ kind: 'reply', text: 'Soon.' });
    expect(await provider.answer(prompt({}))).toEqual({ kind: 'reply', text: 'Soon.' });
    const messages = [
      { role: 'system', content: 'Talk to Ada.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi there' },
      { role: 'user', content: 'And now?' },
    ];
    const ask = { role: 'system', content: 'Talk to (unknown).\nAsk the person you talk to for: name.' };
    const common = { url: '/v1/chat/completions', key: 'Bearer secret' };
    expect(seen).toEqual([
      { ...common, body: { model: 'small', messages } },
      { ...common, body: { model: 'small', messages: [ask, ...messages.slice(1)] } },
    ]);
  });

  test('accepts the complete endpoint URL too, and sends no key if it has none', async () => {
    const seen: unknown[] = [];
    const url = await openEndpoint((response, request) => {
      seen.push([request.url, request.headers.authorization]);
      response.end(completion('ok'));
    });
    const provider = completionsProvider({ url: `${url}/chat/completions/`, model: 'small', apiKey: undefined });
    await provider.answer(prompt());
    expect(seen).toEqual([['/v1/chat/completions', undefined]]);
  });

  test.each([
    [429, '7'],
    [500, undefined],
    [503, undefined],
    [401, undefined],
  ])('passes on a %i with its Retry-After', async (status, retryAfter) => {
    const url = await openEndpoint((response) => {
      response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end('{"error":{}}');
    });
    const provider = completionsProvider({ url, model: 'small', apiKey: undefined });
    expect(await provider.answer(prompt())).toEqual({ kind: 'failed', status, retryAfter });
  });

  test.each([
    ['no JSON', 'busy'],
    ['no choice', '{"choices":[]}'],
    ['no text', completion(null)],
  ])('is a bad gateway when the endpoint answers %s', async (_, body) => {
    const url = await openEndpoint((response) => response.end(body));
    const provider = completionsProvider({ url, model: 'small', apiKey: undefined });
    expect(await provider.answer(prompt())).toEqual({ kind: 'failed', status: 502, retryAfter: undefined });
  });

  test('is a bad gateway when nothing listens', async () => {
    const url = await openEndpoint(() => undefined);
    stops.splice(0).forEach((stop) => stop());
    const provider = completionsProvider({ url, model: 'small', apiKey: undefined });
    expect(await provider.answer(prompt())).toMatchObject({ kind: 'failed', status: 502 });
  });

  test('is a gateway timeout if the answer does not arrive in time, and counts requests in flight', async () => {
    const url = await openEndpoint(() => undefined);
    const provider = completionsProvider({ url, model: 'small', apiKey: undefined, timeout: ms(50) });
    const answer = provider.answer(prompt());
    expect(provider.load()).toEqual({ busy: 1, waiting: 0 });
    expect(await answer).toEqual({ kind: 'failed', status: 504, retryAfter: undefined });
    expect(provider.load()).toEqual({ busy: 0, waiting: 0 });
  });
});
