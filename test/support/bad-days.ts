import type { Socket } from 'node:net';
import type { Scenario } from '../../src/scenario/scenario.ts';
import type { FinishedClass } from '../../src/protocol/outcome.ts';
import { goodReply, response, type Act, type Spoiling } from './spoilt-service.ts';

/** A misbehavior of a service, and the class of every attempt that meets it. */
interface BadDay extends Spoiling {
  name: string;
  outcome: FinishedClass;
  scenario?: Partial<Scenario>;
}

const say =
  (text: string | Buffer): Act =>
  (socket) =>
    void socket.write(text);
const sayAndEnd =
  (text: string | Buffer): Act =>
  (socket) =>
    void socket.end(text);

/** Writes `piece` repeatedly, as fast as it is read, until `bytes` were written or the other side has closed. */
const pour = (socket: Socket, piece: Buffer | string, bytes = Infinity): void => {
  let left = bytes;
  const pump = (): void => {
    while (left > 0 && socket.writable) {
      left -= piece.length;
      if (!socket.write(piece)) return void socket.once('drain', pump);
    }
  };
  pump();
};

const pourAfter =
  (head: string, piece: Buffer | string, bytes?: number): Act =>
  (socket) => {
    socket.write(head);
    pour(socket, piece, bytes);
  };

/** Writes a text byte by byte. */
const drip =
  (text: string, everyMs: number): Act =>
  (socket) => {
    let said = 0;
    const timer = setInterval(() => {
      if (socket.writable && said < text.length) socket.write(text.slice(said, ++said));
      else clearInterval(timer);
    }, everyMs);
    socket.once('close', () => clearInterval(timer));
  };

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;
const good = JSON.stringify(goodReply());
const soon = { timeout: '1s' } as const;
/** Far beyond every limit: 100 MB. */
const huge = 100_000_000;
const piece = Buffer.alloc(64 * 1024, 'x');
const chunk = Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')]);

/** A body with a byte in the middle of the reply's text that is not UTF-8. */
const broken = Buffer.from(JSON.stringify(goodReply({ response: 'caf# au lait' })));
broken[broken.indexOf('#')] = 0xe9;
const sized = (body: Buffer, status = '200 OK'): Buffer =>
  Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\nContent-Length: ${String(body.length)}\r\n\r\n`), body]);

const depth = 100_000;
const deepArray = '['.repeat(depth) + ']'.repeat(depth);
const deepObject = '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
/** A good reply with raw JSON instead of a field, or in addition to the others. */
const withField = (name: string, json: string): string =>
  JSON.stringify(goodReply({ [name]: '#' })).replace('"#"', () => json);

/** Made once, when it is first written. */
const sayLarge = (make: () => string): Act => {
  let text: Buffer | undefined;
  return (socket) => void socket.write((text ??= Buffer.from(response(make()))));
};

const connections: readonly BadDay[] = [
  { name: 'resets before an answer', outcome: 'connection_lost', message: (socket) => void socket.resetAndDestroy() },
  {
    name: 'resets in the middle of an answer',
    outcome: 'connection_lost',
    message: (socket) => void socket.write(`${ok}Content-Length: 99\r\n\r\n{`, () => socket.resetAndDestroy()),
  },
  {
    name: 'resets connections on arrival',
    outcome: 'connection_lost',
    connection: (socket) => void socket.resetAndDestroy(),
  },
  { name: 'half-closes before an answer', outcome: 'connection_lost', message: sayAndEnd('') },
  { name: 'half-closes in the middle of a head', outcome: 'connection_lost', message: sayAndEnd(`${ok}Content-`) },
  {
    name: 'half-closes connections on arrival',
    outcome: 'connection_lost',
    connection: (socket) => void socket.resume().end(),
  },
  { name: 'accepts and never answers', outcome: 'timed_out', message: () => undefined, scenario: soon },
  {
    name: 'never answers on some connections',
    outcome: 'timed_out',
    connection: (socket) => void socket.resume().on('end', () => socket.end()),
    scenario: soon,
  },
  { name: 'drips a byte at a time', outcome: 'timed_out', message: drip(response(good), 25), scenario: soon },
  { name: 'drips, but is there in time', outcome: 'ok', message: drip(response(good), 1) },
];

const sizes: readonly BadDay[] = [
  {
    name: 'sends 100 MB, as declared',
    outcome: 'malformed',
    message: pourAfter(`${ok}Content-Length: ${String(huge)}\r\n\r\n`, piece, huge),
  },
  { name: 'sends 100 MB in chunks', outcome: 'malformed', message: pourAfter(chunked, chunk, huge) },
  { name: 'sends 100 MB up to the close', outcome: 'malformed', message: pourAfter(`${ok}\r\n`, piece, huge) },
  {
    name: 'sends 100 MB after a complete answer',
    outcome: 'ok',
    // Written at once: later bytes would meet the next exchange on that connection.
    message: pourAfter('', Buffer.concat([Buffer.from(response(good)), piece]), huge),
  },
  { name: 'sends a header line without end', outcome: 'malformed', message: pourAfter(`${ok}X: `, piece) },
  { name: 'sends headers without end', outcome: 'malformed', message: pourAfter(ok, 'X-Header: yes\r\n'.repeat(999)) },
  {
    name: 'sends interim heads without end',
    outcome: 'malformed',
    message: pourAfter('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(999)),
  },
  { name: 'sends blank lines without end', outcome: 'malformed', message: pourAfter('', '\r\n'.repeat(9999)) },
  { name: 'sends a chunk size without end', outcome: 'malformed', message: pourAfter(`${chunked}1;`, piece) },
  {
    name: 'sends trailers without end',
    outcome: 'malformed',
    message: pourAfter(`${chunked}0\r\n`, 'X-Trailer: yes\r\n'.repeat(999)),
  },
  {
    name: 'sends a reply text of 15 MB',
    outcome: 'ok',
    message: sayLarge(() => JSON.stringify(goodReply({ response: 'Hello '.repeat(1e6) + ' '.repeat(9e6) }))),
  },
  {
    name: 'lists 200,000 turns after 1 was sent',
    outcome: 'check_failed',
    message: sayLarge(() => JSON.stringify(goodReply({ conversation: Array.from({ length: 200_000 }, () => 'bad') }))),
    scenario: { integrity: { active: false, transcript: 'conversation' } },
  },
];

const texts: readonly BadDay[] = [
  { name: 'sends invalid UTF-8', outcome: 'malformed', message: say(sized(broken)) },
  {
    name: 'sends invalid UTF-8 in chunks',
    outcome: 'malformed',
    message: (socket) => {
      socket.write(sized(broken).subarray(0, 60));
      setTimeout(() => socket.write(sized(broken).subarray(60)), 20);
    },
  },
  {
    name: 'sends UTF-8 that is cut in a character',
    outcome: 'malformed',
    message: say(sized(Buffer.concat([Buffer.from(good), Buffer.from([0xe2, 0x82])]))),
  },
  { name: 'sends a 500 in invalid UTF-8', outcome: 'server_error', message: say(sized(broken, '500 Oops')) },
  {
    name: 'sends U+FFFD itself, which is UTF-8',
    outcome: 'ok',
    message: say(response(JSON.stringify(goodReply({ response: 'caf\u{fffd}' })))),
  },
  { name: 'sends HTML instead of JSON', outcome: 'malformed', message: say(response('<!doctype html><h1>Sorry</h1>')) },
  {
    name: 'sends HTML with a 502',
    outcome: 'server_error',
    message: say(response('<h1>Bad Gateway</h1>', '502 Bad Gateway')),
  },
  { name: 'sends bytes that are not HTTP', outcome: 'malformed', message: say('SSH-2.0-OpenSSH_9.6\r\n') },
  {
    name: 'sends bytes at random',
    outcome: 'malformed',
    message: say(Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 197 + 31) % 256))),
  },
  { name: 'nests an array 100,000 deep', outcome: 'contract_broken', message: say(response(deepArray)) },
  { name: 'nests an object 100,000 deep', outcome: 'contract_broken', message: say(response(deepObject)) },
  {
    name: 'nests 100,000 deep where the text should be',
    outcome: 'contract_broken',
    message: say(response(withField('response', deepObject))),
  },
  {
    name: 'nests 100,000 deep in an extra field',
    outcome: 'ok',
    message: say(response(withField('more', deepObject))),
  },
  {
    name: 'nests 100,000 deep in its list of turns',
    outcome: 'check_failed',
    message: say(response(withField('conversation', deepArray))),
    scenario: { integrity: { active: false, transcript: 'conversation' } },
  },
  {
    name: 'nests 100,000 deep in the error of a 500',
    outcome: 'server_error',
    message: say(response(`{"error":${deepObject}}`, '500 Oops')),
  },
  { name: 'nests 100,000 deep and stops', outcome: 'malformed', message: say(response('['.repeat(depth))) },
  {
    name: 'sends __proto__ in its JSON',
    outcome: 'contract_broken',
    message: say(response('{"__proto__":{"success":true},"data":{"__proto__":{"response":"Hi"}}}')),
  },
];

const length = (bytes: number | string): string => `${ok}Content-Length: ${String(bytes)}\r\n\r\n${good}`;

const lies: readonly BadDay[] = [
  { name: 'declares more than it sends, and closes', outcome: 'connection_lost', message: sayAndEnd(length(9999)) },
  {
    name: 'declares more than it sends, and waits',
    outcome: 'timed_out',
    message: say(length(9999)),
    scenario: soon,
  },
  { name: 'declares less than it sends', outcome: 'malformed', message: say(length(good.length - 5)) },
  { name: 'sends more after a complete answer', outcome: 'ok', message: say(`${length(good.length)}${good}`) },
  { name: 'declares a negative length', outcome: 'malformed', message: say(length(-1)) },
  { name: 'declares 10^20 bytes', outcome: 'malformed', message: say(length('1'.padEnd(21, '0'))) },
  { name: 'declares an invalid length', outcome: 'malformed', message: say(length('many')) },
  ...['301 Moved Permanently', '302 Found', '307 Temporary Redirect', '308 Permanent Redirect'].map((status) => ({
    name: `redirects (${status.slice(0, 3)})`,
    outcome: 'http_other' as const,
    message: say(response('', status, 'Location: /elsewhere\r\n')),
  })),
];

/** Every row is a faulty service: the action on a part of its connections or messages. */
export const badDays: readonly BadDay[] = [...connections, ...sizes, ...texts, ...lies];
