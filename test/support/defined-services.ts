import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A request as a service receives it. */
interface Asked {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  /** JSON of the body; `undefined` if there is none. */
  body: Record<string, unknown> | undefined;
  answer: ServerResponse;
}

/** A service of one API: its own count of what it did, by name. */
export interface CountingService {
  baseUrl: string;
  counted: Record<string, number>;
}

type Serve = (asked: Asked, count: (name: string) => number) => void;

/** Runs for one test. */
async function openService(serve: Serve): Promise<CountingService> {
  const counted: Record<string, number> = {};
  const count = (name: string): number => (counted[name] = (counted[name] ?? 0) + 1);
  const server = createServer((request, answer) => {
    void text(request).then((body) => {
      const { method = '', url: path = '', headers } = request;
      const json = body === '' ? undefined : (JSON.parse(body) as Record<string, unknown>);
      serve({ method, path, headers, body: json, answer }, count);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, counted };
}

function say(answer: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  answer.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Keeps sessions in a cookie, and fails every 7th message. */
export function openWebhookBot(key: string): Promise<CountingService> {
  const sessions = new Set<string>();
  return openService(({ method, path, headers, body, answer }, count) => {
    if (headers['x-webhook-token'] !== key) return say(answer, 401, {});
    if (method === 'POST' && path === '/start' && body?.['channel'] === 'web') {
      const sid = `sid=${String(count('sessions'))}`;
      sessions.add(sid);
      return say(answer, 201, {}, { 'Set-Cookie': `${sid}; Path=/; HttpOnly` });
    }
    const { event, text: said, customer } = body ?? {};
    if (path !== '/webhook' || event !== 'message' || !String(customer).startsWith('C-')) return say(answer, 404, {});
    if (!sessions.has(String(headers.cookie))) return say(answer, 403, {});
    const number = count('messages');
    const fails = number % 7 === 0;
    count(fails ? 'server_error' : 'ok');
    if (fails) return say(answer, 503, {});
    say(answer, 200, { bot: { says: `${String(number)}: you said ${String(said)}`, messageId: number } });
  });
}

/** Returns the reply to its n-th message. */
export type ModelFault = 'error' | 'cut' | 'error event' | undefined;

/** Opens a service that receives whole conversations, and answers with JSON, at once or in lines. Counts words as tokens. */
export function openModelServer(faultOf: (nth: number) => ModelFault): Promise<CountingService> {
  return openService(({ path, body, answer }, count) => {
    const {
      model,
      messages = [],
      stream,
    } = (body ?? {}) as {
      model?: string;
      messages?: { role: string; content: string }[];
      stream?: boolean;
    };
    if (path !== '/api/chat' || model !== 'llama3.2' || !alternates(messages)) return say(answer, 400, {});
    const nth = count('messages');
    const fault = faultOf(nth);
    count(fault ?? 'ok');
    if (fault === 'error') return say(answer, 500, { error: 'out of memory' });
    const words = [`Answer ${String(nth)}`, ' to turn', ` ${String((messages.length + 1) / 2)}.`];
    const usage = { prompt_eval_count: messages.length, eval_count: words.length };
    if (fault === undefined) for (let token = 0; token < words.length; token++) count('tokens');
    const line = (content: string, more: object): object => ({
      model,
      message: { role: 'assistant', content },
      ...more,
    });
    if (stream !== true) return say(answer, 200, line(words.join(''), { done: true, ...usage }));
    const lines = [...words.map((word) => line(word, { done: false })), line('', { done: true, ...usage })];
    const sent = fault === undefined ? lines : [...lines.slice(0, 2), ...(fault === 'cut' ? [] : [{ error: 'oops' }])];
    answer.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
    answer.end(sent.map((each) => `${JSON.stringify(each)}\n`).join(''));
  });
}

/** Streams every reply as an agent that speaks AG-UI. Takes no key. */
export function openStreamingBot(): Promise<CountingService> {
  const threads = new Set<unknown>();
  return openService(({ method, path, headers, body, answer }, count) => {
    const { threadId, runId, messages: given, tools } = body ?? {};
    const messages = (given ?? []) as { id: string; role: string; content: string }[];
    const isRight = messages.every(({ id, content }) => id !== '' && content !== '') && Array.isArray(tools);
    if (method !== 'POST' || path !== '/ag-ui' || !isRight || !alternates(messages)) return say(answer, 400, {});
    if (headers.authorization !== undefined) return say(answer, 401, {});
    count('messages');
    if (!threads.has(threadId)) count('threads');
    threads.add(threadId);
    for (const { role } of messages) if (role === 'user') count('turns');
    const ids = { threadId, runId };
    const deltas = ['You', ' said', ' so.'].map((delta) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta }));
    const begin = { type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant' };
    const events = [{ type: 'RUN_STARTED', ...ids }, begin, ...deltas, { type: 'TEXT_MESSAGE_END', messageId: 'm1' }];
    answer.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const all = [...events, { type: 'RUN_FINISHED', ...ids }];
    answer.end(all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
  });
}

/** User and assistant in turn, the user first and last. */
const alternates = (messages: readonly { role: string }[]): boolean =>
  messages.length % 2 === 1 && messages.every(({ role }, index) => role === (index % 2 === 0 ? 'user' : 'assistant'));

/**
 * Runs an agent in a thread: a run has to be polled twice, and its answer is in the list of messages. The first poll of
 * every fourth run is refused, and every fifth run fails.
 */
export function openRunService(key: string): Promise<CountingService> {
  const polled = new Map<string, number>();
  return openService(({ method, path, headers, body, answer }, count) => {
    count('requests');
    if (headers.authorization !== `Bearer ${key}`) return say(answer, 401, {});
    if (method === 'POST' && path === '/v1/threads') return say(answer, 200, { id: `th/${String(count('sessions'))}` });
    const [, thread = '', what = ''] = /^\/v1\/threads\/(th%2F\d+)\/(.+)$/.exec(path) ?? [];
    if (thread === '') return say(answer, 404, {});
    if (method === 'POST' && what === 'runs' && typeof body?.['input'] === 'string')
      return say(answer, 202, { id: `run ${String(count('messages'))}`, status: 'queued' });
    const [, run = ''] = /^runs\/run%20(\d+)$/.exec(what) ?? [];
    const [, listed = ''] = /^messages\?run=run%20(\d+)$/.exec(what) ?? [];
    if (method !== 'GET' || (run === '' && listed === '')) return say(answer, 404, {});
    if (listed !== '') {
      count('ok');
      return say(answer, 200, { data: [{ id: listed, text: `Answer ${listed}` }] });
    }
    count('polls');
    const nth = (polled.get(run) ?? 0) + 1;
    polled.set(run, nth);
    if (nth === 1 && Number(run) % 4 === 0) return say(answer, 503, {});
    if (nth < 3) return say(answer, 200, { status: 'running' });
    const fails = Number(run) % 5 === 0;
    if (fails) count('provider_error');
    say(answer, 200, { status: fails ? 'failed' : 'completed' });
  });
}

/** Answers a question after the third poll; every fifth question fails. */
export function openTicketDesk(key: string): Promise<CountingService> {
  const asked = new Map<string, number>();
  return openService(({ method, path, headers, body, answer }, count) => {
    if (headers.authorization !== `Bearer ${key}`) return say(answer, 401, {});
    if (method === 'PUT' && path === '/v2/agents/desk/conversations')
      return say(answer, 201, { conversation: { id: count('sessions') } });
    const [, conversation] = /^\/v2\/conversations\/(\d+)\/questions$/.exec(path) ?? [];
    if (method === 'POST' && conversation !== undefined && conversation === headers['x-conversation']) {
      if (typeof body?.['question'] !== 'string') return say(answer, 400, {});
      return say(answer, 202, { status_url: `/v2/answers/${String(count('messages'))}` });
    }
    const [, id = ''] = /^\/v2\/answers\/(\d+)$/.exec(path) ?? [];
    if (method !== 'GET' || id === '') return say(answer, 404, {});
    count('polls');
    asked.set(id, (asked.get(id) ?? 0) + 1);
    if (asked.get(id) !== 3) return say(answer, 202, { status_url: `/v2/answers/${id}` });
    const fails = Number(id) % 5 === 0;
    count(fails ? 'provider_error' : 'ok');
    if (fails) return say(answer, 200, { state: 'failed' });
    say(answer, 200, { state: 'done', answer: { id, text: `Answer ${id}` } });
  });
}
