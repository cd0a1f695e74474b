import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A received message: the number of its session, its text, and its time. */
interface JudgedMessage {
  session: number;
  text: string;
  at: number;
}

/** A service with its own counts, to verify the result of a run. */
export interface JudgeService {
  baseUrl: string;
  messages: JudgedMessage[];
  creations: number;
  /** The status of its replies to messages, and to creations; it may be changed. */
  status: { message: number; create: number };
}

/** Returns a scenario whose sessions send their number. */
export function judged(rest: string): string {
  return `{ name: 'judged', target: { agentId: 'a' }, variableValues: { number: '{{session.number}}' },
  messages: ['{{session.number}} {{turn.number}} {{int 1 1000000}}'], ${rest} }`;
}

export const judgedKey = { CHAT_LOAD_API_KEY: 'a-key-of-the-judge' };

/** Opens the service for one test; a message takes this number of milliseconds. */
export async function openJudge(delayMs = 20, host = '127.0.0.1'): Promise<JudgeService> {
  const judge: JudgeService = { baseUrl: '', messages: [], creations: 0, status: { message: 200, create: 201 } };
  const server = createServer((request, response) => void answer(judge, { request, response, delayMs }));
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  judge.baseUrl = `http://${host}:${String((server.address() as AddressInfo).port)}`;
  return judge;
}

interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
  delayMs: number;
}

async function answer(judge: JudgeService, { request, response, delayMs }: Asked): Promise<void> {
  const at = performance.now();
  const body = JSON.parse(await textOf(request)) as Record<string, unknown>;
  const values = body['variableValues'] as { number?: number } | undefined;
  const isMessage = typeof body['message'] === 'string';
  if (isMessage) judge.messages.push({ session: values?.number ?? 0, text: String(body['message']), at });
  else judge.creations += 1;
  const status = isMessage ? judge.status.message : judge.status.create;
  const sessionId = typeof body['sessionId'] === 'string' ? body['sessionId'] : randomUUID();
  const dates = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
  const data = { response: 'Hi.', chatId: randomUUID(), sessionId, isSession: true, ...dates };
  const reply = status < 400 ? { success: true, data } : { success: false, error: 'Agent not found' };
  setTimeout(
    () => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply)),
    isMessage ? delayMs : 0,
  );
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}
