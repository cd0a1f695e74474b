import { parseArgs } from 'node:util';
import { Agent, request, type Dispatcher } from 'undici';
import { composeBody, isAnswered, messagesUrl, type PeerLoad } from './message.ts';

/** undici as a bare loop: a fresh body and a parsed reply for every turn, through `request` or through `dispatch`. */
const { values } = parseArgs({ options: { load: { type: 'string' }, dispatch: { type: 'boolean', default: false } } });
const load = JSON.parse(values.load ?? '') as PeerLoad;
const url = new URL(messagesUrl(load));
const agent = new Agent({ connections: load.connections, pipelining: 1, connect: { rejectUnauthorized: false } });
const headers = { 'content-type': 'application/json', authorization: 'Bearer bench-key' };
const endsAt = performance.now() + load.seconds * 1000;
let turn = 0;

await Promise.all(Array.from({ length: load.connections }, () => speak(values.dispatch ? dispatched : requested)));
await agent.close();

async function speak(send: (body: string) => Promise<string>): Promise<void> {
  while (performance.now() < endsAt) {
    if (!isAnswered(await send(composeBody(++turn)))) throw new Error('undici met an unexpected reply');
  }
}

async function requested(body: string): Promise<string> {
  const response = await request(url, { dispatcher: agent, method: 'POST', headers, body });
  return response.body.text();
}

function dispatched(body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseData: (_, piece) => pieces.push(piece),
      onResponseEnd: () => resolve(pieces.length === 1 ? String(pieces[0]) : Buffer.concat(pieces).toString()),
      onResponseError: (_, error) => reject(error),
    };
    agent.dispatch({ origin: url.origin, path: url.pathname, method: 'POST', headers, body }, handler);
  });
}
