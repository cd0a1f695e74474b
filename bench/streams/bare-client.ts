import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import type { RawLoad } from './raw-client.ts';
import type { StreamRecord } from './target.ts';

/**
 * A minimal Node.js client: it records when the bytes of a content event were readable, and parses nothing else. Its
 * deviation is caused by the machine, its kernel and Node.js. Its parent receives the same messages as from `raw-client.ts`.
 */
const load = JSON.parse(process.argv[2] ?? '') as RawLoad;
const port = Number(new URL(load.baseUrl).port);
const seen: StreamRecord[] = [];
const buffer = Buffer.allocUnsafeSlow(256 * 1024);
const content = Buffer.from('"delta":{"content":');
const done = Buffer.from('[DONE]');

async function speak(stream: number): Promise<void> {
  await pass((stream * load.overMs) / load.streams);
  for (let reply = 0; reply < load.replies; reply++) seen.push(await hear(stream * load.replies + reply));
}

async function hear(key: number): Promise<StreamRecord> {
  const at = new Float64Array(1000);
  let events = 0;
  const socket = connect({
    port,
    host: '127.0.0.1',
    onread: {
      buffer,
      callback: (count) => {
        const now = performance.now();
        const bytes = buffer.subarray(0, count);
        for (let place = bytes.indexOf(content); place !== -1; place = bytes.indexOf(content, place + 1))
          at[events++] = now;
        if (bytes.includes(done)) socket.end();
        return true;
      },
    },
  });
  await once(socket, 'connect');
  const body = JSON.stringify({ messages: [{ role: 'user', content: `stream=${String(key)}` }] });
  const sentAt = performance.now();
  socket.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`);
  await once(socket, 'close');
  const times = [...at.subarray(0, events)];
  return {
    key,
    firstMs: (times[0] ?? NaN) - sentAt,
    gapsMs: times.slice(1).map((time, index) => time - (times[index] ?? NaN)),
  };
}

await Promise.all(Array.from({ length: load.streams }, (_, stream) => speak(stream)));
process.send?.(seen, () => process.disconnect());
