import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { defineProtocol, runScenario } from '../../src/index.ts';
import type { ProtocolName } from '../../src/protocol/registry/registry.ts';
import { root } from '../support/command.ts';
import { unusedPort } from '../support/http-peer.ts';
import { hasPackages, python } from './python.ts';
import { patient } from '../support/deadline.ts';

/** A server that this project did not write. */
interface Counterpart {
  protocol: ProtocolName | 'ag-ui';
  name: string;
  start: string;
  /** Path that responds as soon as the server is ready, and with its own record of the requests. */
  record: string;
  /** Returns the number of messages in each request, or the conversation of each request, by that record. */
  served: (record: never) => readonly unknown[];
  /** Contents of the requests: the history, which grows by two messages per turn; one message; or the id of a conversation. */
  sends?: 'history' | 'message' | 'conversation';
  streams: readonly boolean[];
  messagesPath?: string;
  /** Path below which the server speaks the protocol. */
  below?: string;
  apiKey?: string;
}

interface Entry {
  path: string;
  body: { messages: unknown[] } | null;
}
const journal = (path: RegExp) => (entries: Entry[]) =>
  entries.filter((entry) => path.test(entry.path)).map(({ body }) => body?.messages.length ?? 1);
const aimock = { name: '@copilotkit/aimock', start: 'mock-vendors.mjs', record: '/__aimock/journal' };
const both = [false, true];
const litellm = {
  name: 'LiteLLM',
  start: 'litellm_proxy.py',
  record: '/served',
  served: (lengths: number[]) => lengths,
  streams: both,
  apiKey: 'sk-test-only-key-of-a-mock-proxy-0123456789',
};

const counterparts: readonly Counterpart[] = [
  { ...aimock, protocol: 'openai-chat', served: journal(/^\/v1\/chat\/completions/), streams: both },
  { ...aimock, protocol: 'openai-responses', served: journal(/^\/v1\/responses/), sends: 'message', streams: both },
  { ...aimock, protocol: 'anthropic-messages', served: journal(/^\/v1\/messages/), streams: both },
  // It streams parts of artifacts in a form that the specification does not have.
  { ...aimock, protocol: 'a2a', served: journal(/^\/a2a/), sends: 'message', streams: [false], below: '/a2a' },
  { ...aimock, protocol: 'ag-ui', served: journal(/^\/ag-ui/), sends: 'message', streams: [true] },
  { ...litellm, protocol: 'openai-chat' },
  { ...aimock, protocol: 'gemini', served: journal(/^\/v1beta\/models\//), streams: both },
  { ...aimock, protocol: 'bedrock-converse', served: journal(/^\/model\//), streams: both },
  { ...aimock, protocol: 'azure-openai', served: journal(/^\/openai\/v1\//), streams: both },
  {
    ...aimock,
    name: '@copilotkit/aimock, by deployment',
    protocol: 'azure-openai',
    served: journal(/^\/openai\/deployments\/gpt-4\.1\//),
    streams: both,
    messagesPath: '/openai/deployments/{model}/chat/completions?api-version=2024-10-21',
  },
  // A turn sends only its own message: the service continues the response before, or the session.
  {
    ...aimock,
    protocol: 'openai-responses-websocket',
    served: journal(/^\/v1\/responses/),
    sends: 'message',
    streams: [true],
  },
  { ...aimock, protocol: 'openai-realtime', served: journal(/^\/v1\/realtime/), streams: [true] },
  {
    protocol: 'ai-sdk',
    name: 'ai',
    start: 'ui-stream.mjs',
    record: '/served',
    served: (lengths: number[]) => lengths,
    streams: [true],
  },
  {
    protocol: 'langgraph',
    name: '@langchain/langgraph-api',
    start: 'agent-server.mjs',
    record: '/ok',
    served: () => [],
    streams: both,
  },
  {
    protocol: 'a2a',
    name: '@a2a-js/sdk',
    start: 'a2a-agent.mjs',
    record: '/served',
    served: (contexts: string[]) => contexts,
    sends: 'conversation',
    streams: both,
  },
];

type AgUiEvent = { type: string; delta?: string };

/** As the example of docs/reference/protocols.md. */
const agUi = defineProtocol({
  name: 'ag-ui',
  history: 'client',
  message: {
    path: '/ag-ui',
    body: ({ sessionId, turn, messages }) => ({
      threadId: sessionId === '' ? randomUUID() : sessionId,
      runId: randomUUID(),
      messages: messages.map((message, index) => ({ id: `${String(turn)}-${String(index)}`, ...message })),
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    }),
  },
  stream: {
    format: 'sse',
    text: ({ type, delta }: AgUiEvent) => (/^TEXT_MESSAGE_(CONTENT|CHUNK)$/.test(type) ? delta : undefined),
    sessionId: 'threadId',
    end: ({ type }: AgUiEvent) => type === 'RUN_FINISHED',
    error: ({ type }: AgUiEvent) => type === 'RUN_ERROR',
  },
});

const [sessions, turns] = [3, 4];
const reply = 'Your order is on its way, and it arrives tomorrow.';

/** Starts a counterpart for one test; returns its URL once it responds. */
async function start({ start: file, record }: Counterpart): Promise<string> {
  const port = await unusedPort();
  const env = { ...process.env, PORT: String(port) };
  const program = file.endsWith('.py') ? python : 'node';
  const child = spawn(program, [join(root, 'test/stacks', file)], { env, stdio: 'ignore' });
  onTestFinished(async () => {
    child.kill();
    await once(child, 'exit');
  });
  const url = `http://127.0.0.1:${String(port)}`;
  await expect
    .poll(
      () =>
        fetch(url + record).then(
          ({ ok }) => ok,
          () => false,
        ),
      patient,
    )
    .toBe(true);
  return url;
}

const read = async (url: string, init?: RequestInit): Promise<unknown> => (await fetch(url, init)).json();

/** Returns the number of messages in each thread of a LangGraph server. */
async function threadLengths(url: string): Promise<number[]> {
  const body = JSON.stringify({ limit: 100 });
  const headers = { 'content-type': 'application/json' };
  const threads = (await read(`${url}/threads/search`, { method: 'POST', headers, body })) as {
    values: { messages: unknown[] };
  }[];
  return threads.map(({ values }) => values.messages.length);
}

const hasLitellm = hasPackages('litellm.proxy.proxy_server, uvicorn', "LiteLLM's proxy");
const present = counterparts.filter(({ name }) => hasLitellm || name !== litellm.name);

describe.each(present)('$protocol against $name', (counterpart) => {
  const { protocol, record, served, sends = 'history', messagesPath, below = '', apiKey } = counterpart;

  test.each(counterpart.streams)('four turns have equal counts on both sides, streamed: %s', async (stream) => {
    const baseUrl = await start(counterpart);
    const texts: string[] = [];
    const result = await runScenario({
      name: 'counterpart',
      sessions,
      turns,
      load: { concurrency: 2 },
      retry: 'none',
      integrity: 'passive',
      messages: ['Hello', 'Where is my order?', 'And when does it arrive?', 'Thanks'],
      checks: { text: (text) => texts.push(text) > 0 },
      target: {
        baseUrl: baseUrl + below,
        protocol: protocol === 'ag-ui' ? agUi : protocol,
        stream,
        ...(apiKey === undefined ? { auth: 'none' } : { apiKey }),
        agentId: protocol === 'langgraph' ? 'agent' : 'gpt-4.1',
        ...(messagesPath !== undefined && { messagesPath }),
      },
    });
    expect(result.outcomes.attempts).toMatchObject({ ok: sessions * turns });
    expect(result.books).toMatchObject({ balanced: true, turns: { ok: sessions * turns } });
    expect(new Set(texts)).toEqual(new Set([reply]));
    expect(result.stream.replies).toBe(stream ? sessions * turns : 0);
    expect(result.stream.contentEvents).toBeGreaterThanOrEqual(stream ? sessions * turns : 0);

    if (protocol === 'langgraph')
      return expect(await threadLengths(baseUrl)).toEqual(Array.from({ length: sessions }, () => 2 * turns));
    const seen = served((await read(baseUrl + record)) as never);
    expect(seen).toHaveLength(sessions * turns);
    if (sends === 'conversation') return expect(new Set(seen).size).toBe(sessions);
    const lengths = Array.from({ length: sessions * turns }, (_, index) =>
      sends === 'message' ? 1 : 2 * Math.floor(index / sessions) + 1,
    );
    expect((seen as number[]).toSorted((a, b) => a - b)).toEqual(lengths);
  });
});
