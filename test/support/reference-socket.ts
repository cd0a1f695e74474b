import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { WebSocket, type ClientOptions } from 'ws';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import { until } from './reference-client.ts';

/** A frame of the service. */
export type Frame = Record<string, unknown> & { type: string };

/** A socket of the service, with everything that it received. */
export async function openSocket(baseUrl: string, path: string, more: ClientOptions = {}) {
  // The library gives up a socket with too many pings; an option of it that its types do not list.
  const options: ClientOptions & { maxPendingAutoPongs: number } = {
    headers: { authorization: `Bearer ${embeddedDefaults.apiKey}` },
    maxPendingAutoPongs: 0,
    ...more,
  };
  const ws = new WebSocket(baseUrl.replace('http', 'ws') + path, options);
  onTestFinished(() => ws.terminate());
  const frames: Frame[] = [];
  const socket = { ws, frames, pings: 0, closed: undefined as number | undefined, broken: '' };
  ws.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString()) as Frame));
  ws.on('ping', () => socket.pings++);
  ws.on('close', (code) => (socket.closed = code));
  ws.on('error', (error) => (socket.broken = error.message));
  await once(ws, 'open');
  /** Sends a frame, and returns the frames up to one of these types. */
  const ask = async (frame: object, ...ends: string[]): Promise<Frame[]> => {
    const from = frames.length;
    ws.send(JSON.stringify(frame));
    await until(() => socket.closed !== undefined || frames.slice(from).some(({ type }) => ends.includes(type)));
    return frames.slice(from);
  };
  const say = (text: string, more: object = {}) => ask({ type: 'message', id: 'm-1', text, ...more }, 'done', 'error');
  const respond = (input: string, more: object = {}) =>
    ask(
      { type: 'response.create', model: embeddedDefaults.agentId, input, ...more },
      ...['response.completed', 'response.failed', 'response.incomplete', 'error'],
    );
  return { socket, ask, say, respond };
}

/** Returns the text of a reply of `/v1/socket`. */
export function textOf(frames: readonly Frame[]): string {
  return frames.flatMap(({ type, text }) => (type === 'delta' ? [text] : [])).join('');
}

/** Returns the types of frames, each once. */
export function typesOf(frames: readonly Frame[]): string[] {
  return [...new Set(frames.map(({ type }) => type))];
}

/** Opens a socket of the example protocol, and awaits its first frame. */
export async function openExample(baseUrl: string, query = '', more: ClientOptions = {}) {
  const opened = await openSocket(baseUrl, `/v1/socket${query}`, more);
  const { frames } = opened.socket;
  await until(() => frames.length > 0);
  const sessionId = String(frames[0]?.['sessionId']);
  return { ...opened, sessionId };
}
