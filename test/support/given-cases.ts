import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import { makeFolder, root } from './command.ts';
import { openService } from './reference-client.ts';

const { agentId, apiKey } = embeddedDefaults;

interface Seen {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}

type Answer = (seen: Seen, response: ServerResponse) => unknown;

interface Bot {
  baseUrl: string;
  port: number;
  seen: Seen[];
}

/** Opens a bot for one test that answers with JSON, or by itself; keeps what it received. */
export async function openBot(answer: Answer): Promise<Bot> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const type = request.headers['content-type'] ?? '';
    void text(request).then((body) => {
      const fields = body === '' || /urlencoded/.test(type);
      const parts = /^multipart/.test(type)
        ? [...body.matchAll(/form-data; name="([^"]*)"\r\n\r\n(.*?)\r\n--/gs)].map(([, name, value]) => [name, value])
        : undefined;
      const sent = parts
        ? (Object.fromEntries(parts) as Seen['body'])
        : fields
          ? Object.fromEntries(new URLSearchParams(body))
          : (JSON.parse(body) as Seen['body']);
      const received = { path: request.url ?? '', headers: request.headers, body: sent };
      seen.push(received);
      const json = answer(received, response);
      if (json === undefined) return;
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(json));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${String(port)}`, port, seen };
}

const langServe: Answer = ({ body }) => ({
  output: `You asked: ${(body['input'] as { question: string }).question}`,
  metadata: { run_id: crypto.randomUUID(), feedback_tokens: [] },
});

/** Remembers nothing, and creates an id if it receives none, like a bot behind FastAPI. */
const fastApi: Answer = ({ path, headers, body }, response) => {
  if (headers['x-api-key'] === undefined) response.statusCode = 403;
  if (path !== '/chat') response.statusCode = 404;
  return {
    answer: `About ${String(body['question'])}`,
    session_id: body['session_id'] ?? crypto.randomUUID(),
    sources: [],
  };
};

const helpdesk: Answer = ({ path, body }, response) => {
  if (path === '/v2/conversations') {
    response.statusCode = 201;
    return { conversation: { id: crypto.randomUUID() } };
  }
  return { reply: { parts: [{ text: `Re: ${String(body['text'])}` }] } };
};

export function inJson(value: object): string {
  return `-H 'Content-Type: application/json' -d '${JSON.stringify(value)}'`;
}
export const hello = { role: 'user', content: 'Hello, where is my order?' };

const bodies = {
  openai: { model: agentId, messages: [{ role: 'system', content: 'Be brief.' }, hello], temperature: 0.2 },
  anthropic: { model: agentId, max_tokens: 256, stream: true, messages: [hello] },
  gemini: { contents: [{ parts: [{ text: 'Explain how AI works in a few words' }] }] },
};

/** A curl command or an OpenAPI file of an API, and a server that responds like the API. */
export interface GivenCase {
  name: string;
  /** Opens the stand-in for one test, and returns the words for init. */
  open: () => Promise<{ words: readonly string[]; seen: readonly Seen[] }>;
  /** Variables that `init` needs; a run needs those of `run`. */
  env?: Readonly<Record<string, string>>;
  run: Readonly<Record<string, string>>;
  /** Parts of the output and of the scenario. */
  output: string;
  scenario: string;
}

const key = { CHAT_LOAD_API_KEY: apiKey };

/** Curl commands for the reference service. */
const served = (protocol: string, curl: (url: string) => string, scenario: string): GivenCase => ({
  name: `a curl command of ${protocol}`,
  open: async () => ({ words: ['--from-curl', curl((await openService()).baseUrl)], seen: [] }),
  run: key,
  output: `protocol  ${protocol}, by the path `,
  scenario,
});

const auth = `-H "Authorization: Bearer ${apiKey}"`;
const message = { agentId, sessionId: 's-1', message: 'Where is my order?' };
const question = {
  input: { question: 'What is a load test?' },
  config: { configurable: { session_id: 's-1' } },
  kwargs: {},
};

export const givenCases: readonly GivenCase[] = [
  served(
    'openai-chat',
    (url) => `curl ${url}/v1/chat/completions ${auth} ${inJson(bodies.openai)}`,
    "instructions: 'Be brief.',\n    messageBody: { temperature: 0.2 },",
  ),
  served(
    'anthropic-messages',
    (url) =>
      `curl ${url}/v1/messages --header 'x-api-key: ${apiKey}' --header 'anthropic-version: 2023-06-01' ${inJson(bodies.anthropic)}`,
    'messageBody: { max_tokens: 256 },',
  ),
  served(
    'gemini',
    (url) => `curl "${url}/v1beta/models/${agentId}:generateContent?key=${apiKey}" -X POST ${inJson(bodies.gemini)}`,
    `agentId: '${agentId}', // the model`,
  ),
  served(
    'chat-messaging',
    (url) =>
      `curl -s -X POST ${url}/api/developer/chat/sessions ${auth} ${inJson({ agentId })}\n` +
      `curl -s -X POST ${url}/api/developer/chat/messages ${auth} ${inJson(message)}`,
    `agentId: '${agentId}', // the agent`,
  ),
  {
    name: 'a curl command of LangServe',
    open: async () => {
      const { baseUrl, seen } = await openBot(langServe);
      return { words: ['--from-curl', `curl -X POST ${baseUrl}/chain/invoke ${inJson(question)}`], seen };
    },
    run: {},
    output: 'message   body.input.question\n',
    scenario: "name: 'langserve',",
  },
  {
    name: 'the OpenAPI description of FastAPI',
    open: async () => {
      const { baseUrl, seen } = await openBot(fastApi);
      const file = join(root, 'test/fixtures/openapi/fastapi.json');
      return { words: ['--from-openapi', file, '--url', baseUrl], seen };
    },
    env: key,
    run: key,
    output: 'the operation is chat_chat_post (POST /chat)\n',
    scenario: "reply: { text: 'answer', sessionId: 'session_id' }",
  },
  {
    name: 'a hand-written OpenAPI description',
    open: async () => {
      const { port, seen } = await openBot(helpdesk);
      const yaml = await readFile(join(root, 'test/fixtures/openapi/helpdesk.yaml'), 'utf8');
      const file = join(await makeFolder(), 'helpdesk.yaml');
      await writeFile(file, yaml.replace('8433', String(port)));
      return { words: ['--from-openapi', file], seen };
    },
    env: key,
    run: key,
    output: 'session   created by POST /v2/conversations, id at conversation.id; in the path\n',
    scenario: "path: '/v2/conversations/{{sessionId}}/messages'",
  },
];
