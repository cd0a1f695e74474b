import { connect } from 'node:net';
import { parseArgs } from 'node:util';
import { composeBody, isAnswered, messagesUrl, type PeerLoad } from './message.ts';

/**
 * Minimum cost of a turn in Node.js: raw sockets with a shared read buffer send one constant request, search the head
 * for the length, parse the body and read the clock twice. No templates, classes, histograms or checks.
 */
const { values } = parseArgs({ options: { load: { type: 'string' } } });
const load = JSON.parse(values.load ?? '') as PeerLoad;
const url = new URL(messagesUrl(load));
const body = composeBody(1);
const request = [
  `POST ${url.pathname} HTTP/1.1`,
  `Host: ${url.host}`,
  'Authorization: Bearer bench-key',
  'Content-Type: application/json',
  `Content-Length: ${String(Buffer.byteLength(body))}`,
  '',
  body,
].join('\r\n');
/** Header name as the target writes it. */
const lengthField = 'Content-Length: ';
/** Read buffer of all sockets; `latin1Slice` is missing from the types. */
const shared = Buffer.allocUnsafe(65_536) as Buffer & { latin1Slice: (from: number, to: number) => string };
const endsAt = performance.now() + load.seconds * 1000;
let spentMs = 0;

await Promise.all(Array.from({ length: load.connections }, () => speak()));
if (spentMs <= 0) throw new Error('no turn took any time');

function speak(): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    let waiting = '';
    const send = (): void => {
      sentAt = performance.now();
      socket.write(request, 'latin1');
    };
    const take = (bytes: number): boolean => {
      waiting = waiting === '' ? shared.latin1Slice(0, bytes) : waiting + shared.latin1Slice(0, bytes);
      const end = waiting.indexOf('\r\n\r\n');
      const place = waiting.indexOf(lengthField);
      if (end === -1 || place === -1) return true;
      const length = parseInt(waiting.slice(place + lengthField.length, place + lengthField.length + 8), 10);
      if (waiting.length < end + 4 + length) return true;
      const now = performance.now();
      if (!isAnswered(waiting.slice(end + 4, end + 4 + length))) reject(new Error('sockets met an unexpected reply'));
      spentMs += now - sentAt;
      waiting = '';
      if (now < endsAt) send();
      else socket.end(resolve);
      return true;
    };
    const socket = connect({
      host: url.hostname,
      port: Number(url.port),
      noDelay: true,
      onread: { buffer: shared, callback: take },
    });
    socket.on('connect', send).on('error', reject);
  });
}
