import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A client of chat completions for benchmarks: raw sockets with one call at a time each. Prints its counts as JSON. */
const [port = 0, streamed = 0, connections = 0, warmUpMs = 0, windowMs = 0] = process.argv.slice(2).map(Number);

const counts = { calls: 0, events: 0 };
const text = Array.from({ length: 200 }, (_, index) => `word${String(index)}`).join(' ');
const trailer = '0\r\n\r\n';
let sent = 0;

function request(): string {
  const messages = [{ role: 'user', content: `${String(sent++)} ${text}` }];
  const body = JSON.stringify({ model: 'm', stream: streamed === 1, messages });
  return `POST /v1/chat/completions HTTP/1.1\r\nhost: model\r\ncontent-type: application/json\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`;
}

function openConnection(): void {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  // Some servers close connections now and then.
  socket.on('error', () => undefined).on('close', openConnection);
  let left = 0;
  let isChunked = false;
  const next = (): void => {
    counts.calls++;
    socket.write(request());
  };
  socket.on('data', (chunk) => {
    const received = chunk.toString('latin1');
    if (streamed === 1) {
      for (let at = received.indexOf('data: '); at !== -1; at = received.indexOf('data: ', at + 6)) counts.events++;
      if (received.endsWith(trailer)) next();
      return;
    }
    if (isChunked || /^HTTP[^]*?transfer-encoding: chunked[^]*?\r\n\r\n/i.test(received)) {
      isChunked = !received.endsWith(trailer);
      if (!isChunked) next();
      return;
    }
    const [head, length] = /^HTTP[^]*?content-length: (\d+)[^]*?\r\n\r\n/i.exec(received) ?? [];
    if (head !== undefined) left = Number(length) + head.length;
    left -= chunk.length;
    if (left === 0) next();
  });
  socket.write(request());
}

for (let index = 0; index < connections; index++) openConnection();
await sleep(warmUpMs);
process.stdout.write(`begin\n`);
counts.calls = 0;
counts.events = 0;
const begunAt = performance.now();
await sleep(windowMs);
const seconds = (performance.now() - begunAt) / 1000;
process.stdout.write(`${JSON.stringify({ calls: counts.calls, events: counts.events, seconds })}\n`);
process.exit();
