import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { questions } from '../../src/protocol/chat-messaging/questions.ts';
import { refuseUpgrade } from './socket-service.ts';

export type SocketFrame = { type: string } & Record<string, unknown>;

/** Fault of a model service over WebSocket. */
export interface SocketSpoiling {
  /** Answers an upgrade itself; `key` is '' for none. */
  refuses?: (key: string) => Refusal | undefined;
  /** Changes a frame of the client, or returns other frames to answer with. */
  onFrame?: (frame: SocketFrame, text: string) => readonly SocketFrame[] | undefined;
  /** Returns the frames sent instead of one frame; `nth` is the number of the reply, from 1. */
  onEvent?: (event: SocketFrame, nth: number) => readonly (SocketFrame | string)[];
  /** Frame that is taken instead of one that is not JSON. */
  garbage?: SocketFrame;
  /** Called after each reply. */
  onEnd?: (ws: WebSocket, nth: number) => void;
  /** Sends all frames of a reply at once. */
  gathers?: true;
}

interface Refusal {
  status: number;
  body: object;
}

/** One conversation of a model API: takes frames of the client, and returns the frames of the answer. */
export type SocketConversation = (frame: SocketFrame) => readonly SocketFrame[];

export const keyRefusal: Refusal = {
  status: 401,
  body: { error: { type: 'invalid_request_error', code: 'invalid_api_key', message: 'Incorrect API key provided' } },
};

/** Keys that the check did not make up. */
const isGood = (key: string): boolean => key !== '' && !key.startsWith('chat-load-check');

/** Opens a model service over WebSocket for one test, with at most one fault; returns its base URL. */
export async function openSocketModel(
  begin: () => { converse: SocketConversation; greeting?: readonly SocketFrame[] },
  spoiling: SocketSpoiling = {},
): Promise<string> {
  const server = createServer((_, response) => void response.writeHead(404).end());
  const sockets = new WebSocketServer({ noServer: true });
  let replies = 0;
  server.on('upgrade', (request: IncomingMessage, raw: Socket, head: Buffer) => {
    const key = (request.headers.authorization ?? '').replace('Bearer ', '');
    const refusal = spoiling.refuses?.(key) ?? (isGood(key) ? undefined : keyRefusal);
    raw.on('error', () => undefined);
    if (refusal !== undefined) {
      refuseUpgrade(raw, refusal.status, refusal.body);
      return;
    }
    sockets.handleUpgrade(request, raw, head, (ws) => {
      const { converse, greeting = [] } = begin();
      const send = async (frames: readonly SocketFrame[]): Promise<void> => {
        const isReply = frames.some(({ type }) => type === 'response.created');
        const nth = isReply ? ++replies : 0;
        const sent = isReply ? frames.flatMap((frame) => spoiling.onEvent?.(frame, nth) ?? [frame]) : frames;
        if (spoiling.gathers === true && isReply) raw.cork();
        for (const frame of sent) {
          if (ws.readyState !== ws.OPEN) return;
          ws.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
          if (spoiling.gathers === true) continue;
          // The client is in this process: it reads before two turns of the loop have passed.
          await turnOfLoop();
          await turnOfLoop();
        }
        if (spoiling.gathers === true && isReply) raw.uncork();
        if (isReply) spoiling.onEnd?.(ws, nth);
      };
      ws.on('error', () => undefined);
      ws.on('message', (data: Buffer) => {
        const text = data.toString();
        const frame = parse(text) ?? spoiling.garbage;
        if (frame === undefined) return void send([errorFrame('invalid_json', 'The frame is not JSON')]);
        void send(spoiling.onFrame?.(frame, text) ?? converse(frame));
      });
      void send(greeting);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const ws of sockets.clients) ws.terminate();
    server.close().closeAllConnections();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

function parse(text: string): SocketFrame | undefined {
  try {
    return JSON.parse(text) as SocketFrame;
  } catch {
    // A rule sends a frame that is not JSON.
    return undefined;
  }
}

export function errorFrame(code: string, message: string): SocketFrame {
  return {
    type: 'error',
    status: 400,
    error: { type: 'invalid_request_error', code, message },
  };
}

/** Answers as the reference agent does: repeats the tag of the latest message, or the code of an earlier one. */
export function answerTo(messages: readonly string[]): string {
  const latest = messages.at(-1) ?? '';
  const [, tag] = /Repeat this tag: (\w+)/.exec(latest) ?? [];
  if (tag !== undefined) return `Of course: ${tag}`;
  const [, code] = /Remember this code: (\w+)/.exec(messages.slice(0, -1).join('\n')) ?? [];
  return latest === questions.recall && code !== undefined ? `It was ${code}.` : 'How can I help you today?';
}

/** Splits a text into the deltas of a reply. */
export function deltasOf(text: string): readonly string[] {
  return text.match(/.{1,4}/gs) ?? [];
}
