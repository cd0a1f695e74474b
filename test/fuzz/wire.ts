import fc from 'fast-check';
import { creationRules, messageRules } from '../../src/protocol/chat-messaging/reply-rules.ts';
import { classifyWhole } from '../../src/protocol/classify-whole.ts';
import { attemptClassNames } from '../../src/protocol/outcome.ts';
import { instant } from '../../src/base/time.ts';
import { blankExchange } from '../../src/edge/http/response/exchange-reading.ts';
import { FastResponse } from '../../src/edge/http/response/fast-response.ts';
import { ResponseParser } from '../../src/edge/http/response/response-parser.ts';
import { responseStreams } from '../support/http-response-streams.ts';
import { fuzz, pollution } from './fuzz.ts';
import { loadedNames, weirdText } from './weird.ts';

const limits = { maxHeadBytes: 4096, maxBodyBytes: 4096 };
const noise = fc.uint8Array({ maxLength: 300 }).map((bytes) => [Buffer.from(bytes)]);
const endless = fc
  .tuple(
    fc.constantFrom(
      '',
      'HTTP/1.1 200 OK\r\n',
      'HTTP/1.1 200 OK\r\nX: ',
      'HTTP/1.1 100\r\n\r\n',
      'HTTP/1.1 200 OK\r\n\r\n',
    ),
    fc.constantFrom('a', ' ', '\r\n', 'X: y\r\n', '0', 'HTTP/1.1 100 Continue\r\n\r\n', '\0', '1;a=b\r\nx\r\n'),
    fc.constantFrom(
      'Transfer-Encoding: chunked\r\n\r\n',
      'Content-Length: 99999999999999999999\r\n\r\n',
      'Content-Length: 4096\r\n\r\n',
      '',
    ),
  )
  .map(([start, unit, framing]) => {
    const piece = Buffer.from(unit.repeat(Math.ceil(1000 / unit.length)), 'latin1');
    return [Buffer.from(start + framing, 'latin1'), ...Array<Buffer>(40).fill(piece)];
  });

const blank = blankExchange(instant(0), false);
const finalPhases = ['complete', 'malformed', 'lost'];

export const parserFuzz = fuzz(
  { name: 'any bytes of a server come to an end, within the limits', runs: 600 },
  fc.oneof(
    noise,
    endless,
    responseStreams.map(({ pieces }) => pieces),
  ),
  (pieces) => {
    const parser = new ResponseParser(limits);
    // Every chunk overwrites the same buffer, as on a socket.
    const shared = Buffer.alloc(Math.max(1, ...pieces.map(({ length }) => length)), '1\r\n');
    for (const piece of pieces) {
      piece.copy(shared);
      const used = parser.feed(shared, piece.length);
      if (used > piece.length || (used < piece.length && !parser.isOver)) throw new Error('bytes were left');
      if (parser.body.text().length > limits.maxBodyBytes) throw new Error('the body is over the limit');
    }
    parser.end();
    if (!finalPhases.includes(parser.phase)) throw new Error(`it is still in ${parser.phase}`);
    const bytes = Buffer.concat(pieces);
    const whole = new ResponseParser(limits);
    whole.feed(bytes);
    whole.end();
    if (whole.phase !== parser.phase) throw new Error(`cut it is ${parser.phase}, and whole ${whole.phase}`);
    if (whole.phase === 'complete' && whole.body.text() !== parser.body.text()) throw new Error('the cuts matter');
    const fast = new FastResponse(limits);
    if (fast.read(Buffer.from(bytes), bytes.length) && parser.phase !== 'complete') throw new Error('the paths differ');
  },
);

const replies = fc.oneof(
  fc.json({ stringUnit: 'binary' }),
  weirdText,
  fc.constantFrom(
    `{"__proto__":${JSON.stringify(pollution)},"success":true}`,
    `{"success":true,"data":{"__proto__":{"response":"x","sessionId":"s"}}}`,
    `{"success":true,"data":{"constructor":{"prototype":${JSON.stringify(pollution)}}}}`,
    `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
    '{"error":{"toString":null}}',
  ),
);
const paths = fc.oneof(
  fc.constantFrom('data.sessionId', 'data.0', 'constructor.name', '__proto__.polluted', 'data.length'),
  fc.array(fc.constantFrom('data', ...loadedNames), { minLength: 1, maxLength: 3 }).map((names) => names.join('.')),
);

export const replyFuzz = fuzz(
  { name: 'any reply has a class, and a creation its id from the reply alone', runs: 600 },
  fc.record({ body: replies, status: fc.integer({ min: 100, max: 999 }), path: paths }),
  ({ body, status, path }) => {
    const exchange = { ...blank, body, status: status > 700 ? 200 : status };
    const message = classifyWhole(exchange, messageRules, 's');
    const creation = classifyWhole(exchange, creationRules(path));
    for (const { outcome } of [message, creation])
      if (!attemptClassNames.includes(outcome)) throw new Error(`it is ${outcome as string}`);
    if (creation.outcome === 'ok' && !body.includes(JSON.stringify(creation.reply?.id)))
      throw new Error(`the id ${String(creation.reply?.id)} was not in the reply`);
  },
);
