import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { machineClock } from '../../src/edge/clock.ts';
import type { Clock } from '../../src/base/time.ts';
import { modelOptions, type ModelOptions } from '../../src/scenario/model-options.ts';
import type { CallEnd, CallPlace, CallStart } from '../../src/model-calls/model-observer.ts';
import { openModelService } from '../../src/reference-service/model/model-service.ts';
import { until } from './reference-client.ts';

interface Opening {
  clock?: Clock;
  place?: (call: CallStart) => CallPlace | undefined;
  allowHosts?: readonly string[];
}

/** A reply as its client read it; `body` ends where the connection did. */
interface Reply {
  status: number;
  headers: Headers;
  body: string;
  isCut: boolean;
}

/** Returns a message of the user. */
export function userMessage(content: string): object {
  return { role: 'user', content };
}

/** Opens a model service on a free port, with the events that its observer received; replies take no time by default. */
export async function openModel(given: ModelOptions = {}, { clock = machineClock, place, allowHosts }: Opening = {}) {
  const starts: CallStart[] = [];
  const ends: CallEnd[] = [];
  const others = { requests: 0, connections: 0 };
  const options = modelOptions.parse({ port: 0, latency: 0, tokenTime: 0, ...given });
  const service = await openModelService(options, {
    clock,
    ...(allowHosts !== undefined && { allowHosts }),
    observer: {
      callStarted: (call) => {
        starts.push(call);
        return place?.(call);
      },
      callEnded: (end) => ends.push(end),
      otherRequest: () => others.requests++,
      connectionOpened: () => others.connections++,
    },
  });
  onTestFinished(() => service.close());
  const baseUrl = `http://127.0.0.1:${String(service.port)}`;
  const request = async (path: string, init: RequestInit): Promise<Reply> => {
    const response = await fetch(baseUrl + path, init);
    let body = '';
    try {
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) body += decoder.decode(chunk as Uint8Array, { stream: true });
      return { status: response.status, headers: response.headers, body, isCut: false };
    } catch {
      return { status: response.status, headers: response.headers, body, isCut: true };
    }
  };
  const post = (
    path: string,
    body: unknown,
    init: { headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<Reply> =>
    request(path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...init,
      headers: { 'content-type': 'application/json', ...init.headers },
    });
  const chat = (body: object = {}, init?: { headers?: Record<string, string>; signal?: AbortSignal }): Promise<Reply> =>
    post('/v1/chat/completions', { model: 'm', messages: [userMessage('Hi')], ...body }, init);
  /** Sends bytes, and returns those received until the connection ends. */
  const raw = (bytes: string, { endsAfter = false } = {}): Promise<string> =>
    new Promise((resolve) => {
      let received = '';
      const socket = connect(service.port, '127.0.0.1', () => {
        socket.write(bytes, () => {
          if (endsAfter) socket.destroy();
        });
      });
      socket.on('data', (chunk) => (received += String(chunk)));
      socket.on('error', () => undefined).on('close', () => resolve(received));
    });
  const ended = (count: number): Promise<void> => until(() => ends.length === count);
  const started = (count: number): Promise<void> => until(() => starts.length === count);
  return { service, baseUrl, starts, ends, others, request, post, chat, raw, ended, started };
}

/** Returns the data of the events of a stream. */
export function dataIn(body: string): unknown[] {
  return body
    .split('\n')
    .filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
    .map((line) => JSON.parse(line.slice(6)) as unknown);
}
