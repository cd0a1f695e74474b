import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { SenderOptions } from '../../src/edge/http/open-sender.ts';
import type { Exchange } from '../../src/session/send.ts';
import { openTestSender, sendOne } from '../support/http-peer.ts';
import { openHttp2Peer, type Http2Arrival } from '../support/http2-peer.ts';
import { localhostIdentity as tls } from '../support/localhost-identity.ts';

const inFlight = 12;
const body = '{"a":"b"}';
const half = '{"a"';
const ok: [string, string] = [':status', '200'];
const length: [string, string] = ['content-length', String(body.length)];
const [noError, internalError, cancel] = [0, 2, 8];

type End = (arrival: Http2Arrival) => void;

/** Ends of a response that are complete by RFC 9113, section 8.1: END_STREAM was sent. */
const complete: readonly (readonly [string, End])[] = [
  ['END_STREAM on its data', ({ connection, stream }) => connection.answer(stream, body)],
  [
    'END_STREAM on its data, of the declared length',
    ({ connection, stream }) => connection.answer(stream, body, [length]),
  ],
  [
    'END_STREAM on empty data',
    ({ connection, stream }) => {
      connection.head(stream, [ok]);
      connection.data(stream, half);
      connection.data(stream, body.slice(half.length));
      connection.data(stream, '', true);
    },
  ],
  [
    'END_STREAM on trailers',
    ({ connection, stream }) => {
      connection.head(stream, [ok]);
      connection.data(stream, body);
      connection.head(stream, [['x-checksum', '1']], true);
    },
  ],
  [
    'END_STREAM, encoded by gzip',
    ({ connection, stream }) => connection.answer(stream, gzipSync(body), [['content-encoding', 'gzip']]),
  ],
  [
    'END_STREAM behind GOAWAY',
    ({ connection, stream }) => {
      connection.head(stream, [ok]);
      connection.data(stream, half);
      connection.goAway(2 ** 31 - 1);
      connection.data(stream, body.slice(half.length), true);
    },
  ],
];

/** Ends of a response that are none: all of it may be there, but END_STREAM is not. */
const broken: readonly (readonly [string, Exchange['failure'], string, End])[] = [
  ...[noError, internalError, cancel].map(
    (code) =>
      [
        `a reset with code ${String(code)} in its body`,
        'connection_lost',
        'the stream was reset after 4 bytes of the body',
        ({ connection, stream }: Http2Arrival) => {
          connection.head(stream, [ok]);
          connection.data(stream, half);
          connection.reset(stream, code);
        },
      ] as const,
  ),
  [
    'a reset without an error behind all of the declared body',
    'connection_lost',
    'the stream was reset after 9 bytes of the body, of 9 declared',
    ({ connection, stream }) => {
      connection.head(stream, [ok, length]);
      connection.data(stream, body);
      connection.reset(stream, noError);
    },
  ],
  [
    'less than the declared length',
    'malformed',
    'PROTOCOL_ERROR',
    ({ connection, stream }) => connection.answer(stream, half, [length]),
  ],
  [
    'more than the declared length',
    'malformed',
    'of 9 declared',
    ({ connection, stream }) => connection.answer(stream, `${body}\n`, [length]),
  ],
];

describe.each([
  ['TLS', { tls }],
  ['clear text', {}],
] as const)('a response over HTTP/2 by %s', (_, way) => {
  /** Sends several requests at once, answered in one write or separately, and returns the exchanges. */
  async function exchange(end: End, isOneWrite: boolean, after?: End): Promise<Exchange[]> {
    const waiting: Http2Arrival[] = [];
    const peer = await openHttp2Peer((arrival) => {
      const { socket } = arrival.connection;
      waiting.push(arrival);
      if (waiting.length < inFlight) return;
      if (isOneWrite) socket.cork();
      for (const each of waiting) end(each);
      after?.(arrival);
      if (isOneWrite) socket.uncork();
    }, way);
    const sender = openSender(peer.port);
    return Promise.all(Array.from({ length: inFlight }, () => sendOne(sender)));
  }

  const openSender = (port: number, options: Partial<SenderOptions> = {}) =>
    openTestSender(port, {
      http2: true,
      compression: true,
      ...('tls' in way ? { tls: { ca: tls.cert }, baseUrl: new URL(`https://localhost:${String(port)}`) } : {}),
      ...options,
    });

  describe.each([
    ['in one write', true],
    ['frame by frame', false],
  ] as const)('%s', (__, isOneWrite) => {
    test.each(complete)('is complete by %s', async (___, end) => {
      for (const each of await exchange(end, isOneWrite)) expect(each).toMatchObject({ detail: '', status: 200, body });
    });

    test.each(broken)('is lost by %s: %s', async (___, failure, words, end) => {
      for (const each of await exchange(end, isOneWrite)) {
        expect(each).toMatchObject({ failure, body: '' });
        expect(each.detail).toContain(words);
      }
    });

    test.each<[string, End]>([
      ['GOAWAY with an error', ({ connection }) => connection.goAway(0, internalError)],
      ['the end of the connection', ({ connection }) => void connection.socket.end()],
    ])('stays complete when %s follows', async (___, after) => {
      const exchanges = await exchange(({ connection, stream }) => connection.answer(stream, body), isOneWrite, after);
      for (const each of exchanges) expect(each).toMatchObject({ detail: '', status: 200, body });
    });

    test.each<[string, readonly [string, string][]]>([
      ['with a length', [ok, length]],
      ['without a length', [ok]],
    ])('is lost when the connection ends in its body, %s', async (___, fields) => {
      const end: End = ({ connection, stream }) => {
        connection.head(stream, fields);
        connection.data(stream, half);
      };
      const exchanges = await exchange(end, isOneWrite, ({ connection }) => void connection.socket.end());
      for (const each of exchanges) {
        expect(each).toMatchObject({ failure: 'connection_lost', body: '' });
        expect(each.detail).toContain('after 4 bytes of the body');
      }
    });

    test.each([noError, cancel])('is complete when a reset with code %i ends the rest of the request', async (code) => {
      const peer = await openHttp2Peer(
        ({ connection, stream, number }) => {
          if (isOneWrite) connection.socket.cork();
          connection.answer(stream, body);
          if (number === 1) connection.reset(stream, code);
          if (isOneWrite) connection.socket.uncork();
        },
        { ...way, answersHeads: true },
      );
      const sender = openSender(peer.port);
      expect(await sendOne(sender, 'x'.repeat(500_000))).toMatchObject({ detail: '', status: 200, body });
      expect(await sendOne(sender)).toMatchObject({ detail: '', status: 200, body });
    });
  });
});
