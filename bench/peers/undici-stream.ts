import { parseArgs } from 'node:util';
import { createParser } from 'eventsource-parser';
import { Agent, request } from 'undici';
import type { PeerLoad } from './message.ts';

/** undici's `request` with eventsource-parser as a bare loop: a fresh body, every event parsed as JSON, its text joined. */
const { values } = parseArgs({ options: { load: { type: 'string' } } });
const { baseUrl, connections, seconds } = JSON.parse(values.load ?? '') as PeerLoad;
const agent = new Agent({ connections, pipelining: 1 });
const headers = { 'content-type': 'application/json', authorization: 'Bearer bench-key' };
const endsAt = performance.now() + seconds * 1000;
let turn = 0;

await Promise.all(Array.from({ length: connections }, () => speak()));
await agent.close();

async function speak(): Promise<void> {
  while (performance.now() < endsAt) {
    const { text, isDone } = await reply(composeBody(++turn));
    if (text === '' || !isDone) throw new Error('undici met an unexpected reply');
  }
}

interface Chunk {
  choices: { delta: { content?: string } }[];
}

async function reply(body: string): Promise<{ text: string; isDone: boolean }> {
  const said = { text: '', isDone: false };
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') said.isDone = true;
      else said.text += (JSON.parse(data) as Chunk).choices[0]?.delta.content ?? '';
    },
  });
  const path = `${baseUrl}/v1/chat/completions`;
  const response = await request(path, { dispatcher: agent, method: 'POST', headers, body });
  const decoder = new TextDecoder();
  for await (const bytes of response.body) parser.feed(decoder.decode(bytes as Buffer, { stream: true }));
  return said;
}

/** Returns the body of a turn, of the same size as chat-load's. */
function composeBody(number: number): string {
  const content = `Where is order ORD-${String(number)}? It should have come days ago.`;
  const messages = [
    { role: 'system', content: `customerName: Ada\norderNumber: ORD-${String(number)}` },
    { role: 'user', content },
  ];
  return JSON.stringify({ model: 'bench', stream: true, stream_options: { include_usage: true }, messages });
}
