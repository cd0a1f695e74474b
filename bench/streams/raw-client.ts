import { setTimeout as pass } from 'node:timers/promises';
import { ms } from '../../src/base/time.ts';
import { systemClock } from '../../src/edge/clock.ts';
import { openSender } from '../../src/edge/http/open-sender.ts';
import { openaiChat } from '../../src/protocol/openai-chat/openai-chat.ts';
import type { StreamRecord } from './target.ts';

/**
 * The send path of a run without its recorder: concurrent streams, started over a given time, each with a number of
 * replies. Its parent receives the observations of every reply.
 */
export interface RawLoad {
  baseUrl: string;
  streams: number;
  replies: number;
  overMs: number;
}

const load = JSON.parse(process.argv[2] ?? '') as RawLoad;
const api = openaiChat.open({
  agentId: 'bench',
  baseUrl: load.baseUrl,
  stream: true,
  auth: 'key',
  messagesPath: null,
  messageBody: {},
  conversation: 'previous_response',
  createSession: { path: '', body: {}, sessionIdFrom: '' },
});
const sender = openSender({
  baseUrl: new URL(load.baseUrl),
  apiKey: 'bench-key',
  authorize: (apiKey) => openaiChat.authorize(apiKey),
  toolVersion: 'bench',
  timeoutMs: ms(600_000),
  connectTimeoutMs: ms(10_000),
  idleConnectionMs: ms(4000),
  clock: systemClock,
  maxBodyBytes: 2 ** 20,
  maxHeadBytes: 2 ** 14,
});
const seen: StreamRecord[] = [];

async function speak(stream: number): Promise<void> {
  await pass((stream * load.overMs) / load.streams);
  for (let reply = 0; reply < load.replies; reply++) {
    const key = stream * load.replies + reply;
    const conversation = api.converse('');
    const said = { message: `stream=${String(key)}`, variableValues: '' };
    const sentAt = systemClock.now();
    const { content, failure, detail } = await sender.send(conversation.request(said), sentAt);
    if (content === undefined || failure !== undefined) throw new Error(`a stream failed: ${detail}`);
    seen.push({ key, firstMs: content.firstAt - sentAt, gapsMs: content.gapsMs });
  }
}

await Promise.all(Array.from({ length: load.streams }, (_, stream) => speak(stream)));
await sender.close();
process.send?.(seen, () => process.disconnect());
