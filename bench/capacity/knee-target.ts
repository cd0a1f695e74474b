import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

/**
 * A service whose knee is known: N slots with exponential service times and one queue, or N turns per second (a token
 * bucket) with a refusal for each further turn. Creations take no time. Its parent process receives the port.
 */
const { values } = parseArgs({
  options: {
    places: { type: 'string', default: '0' },
    mean: { type: 'string', default: '50' },
    perSecond: { type: 'string', default: '0' },
    burst: { type: 'string', default: '1' },
  },
});
const [places, meanMs] = [Number(values.places), Number(values.mean)];
const [perSecond, burst] = [Number(values.perSecond), Number(values.burst)];

const say = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

function reply(response: ServerResponse, sessionId: string): void {
  const at = new Date().toISOString();
  const data = { response: `Yes, ${sessionId}.`, chatId: `c${String(++chats)}`, sessionId, isSession: true };
  say(response, 200, { success: true, data: { ...data, createdAt: at, updatedAt: at } });
}

let [sessions, chats, busy, tokens, seen] = [0, 0, 0, burst, performance.now()];
const waiting: (() => void)[] = [];

function serve(done: () => void): void {
  busy++;
  setTimeout(
    () => {
      busy--;
      done();
      const next = waiting.shift();
      if (next !== undefined) serve(next);
    },
    -Math.log(1 - Math.random()) * meanMs,
  );
}

function isRefused(): boolean {
  const now = performance.now();
  tokens = Math.min(burst, tokens + ((now - seen) * perSecond) / 1000);
  seen = now;
  if (tokens < 1) return true;
  tokens--;
  return false;
}

const server = createServer((request, response) => {
  void text(request).then((body) => {
    const { sessionId } = JSON.parse(body || '{}') as { sessionId?: string };
    if (sessionId === undefined) {
      say(response, 201, { success: true, data: { sessionId: `s${String(++sessions)}` } });
      return;
    }
    const done = (): void => reply(response, sessionId);
    if (perSecond > 0 && isRefused()) say(response, 429, { success: false, error: 'Too many requests' });
    else if (places === 0) done();
    else if (busy < places) serve(done);
    else waiting.push(done);
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.({ port: (server.address() as AddressInfo).port });
process.on('disconnect', () => process.exit());
