import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/edge/clock.ts';
import type { Sender, SenderOptions } from '../../src/edge/http/sender/sender-options.ts';
import { instant, ms } from '../../src/base/time.ts';
import type { Exchange } from '../../src/session/send.ts';
import { eventually, openPeer, openTestSender, response } from '../support/http-peer.ts';
import { pieceRequest } from '../support/piece-stream.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const headOf = (type: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
const head = headOf('text/event-stream; charset=utf-8');
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const event = (data: string): string => chunk(`data: ${data}\n\n`);
const last = '0\r\n\r\n';

type Answer = (socket: Socket, sender: Sender) => void | Promise<void>;
type Options = Partial<SenderOptions> & { leaveAfterMs?: number; framing?: 'json-lines' };

/** Sends one request to a peer with this answer, and returns the exchange. */
async function exchange(answer: Answer, { leaveAfterMs, framing, ...options }: Options = {}): Promise<Exchange> {
  const peer = await openPeer(({ socket }) => answer(socket, sender));
  const sender = openTestSender(peer.port, options);
  const { clock = systemClock } = options;
  return sender.send(pieceRequest(framing), clock.now(), leaveAfterMs === undefined ? undefined : ms(leaveAfterMs));
}

/** Writes and waits until it was read. */
async function write(socket: Socket, sender: Sender, bytes: string): Promise<void> {
  const before = sender.traffic.bytesReceived;
  socket.write(bytes);
  await eventually(() => sender.traffic.bytesReceived >= before + Buffer.byteLength(bytes));
}

describe('a streamed reply', () => {
  test('has the instant of every read that brought the last byte of an event with content', async () => {
    let now = 0;
    const clock = {
      now: () => instant(now),
      readAt: () => instant(now),
      wallNow: () => 0,
      wakeAt: () => () => undefined,
    };
    const steps: [number, string][] = [
      [10, head],
      [20, event('')],
      [30, event('!hm')],
      [42, event('a')],
      [55, event('b').slice(0, 7)],
      [60, event('b').slice(7) + event('c')],
      [90, event('END') + last],
    ];
    const { content, endedAt, stream, body } = await exchange(
      async (socket, sender) => {
        for (const [at, bytes] of steps) {
          now = at;
          await write(socket, sender, bytes);
        }
      },
      { clock },
    );
    expect(content).toEqual({
      firstAt: 30,
      firstAnswerAt: 42,
      lastAt: 60,
      hasReasoning: true,
      gapsMs: [12, 18],
      sharedReads: 1,
    });
    expect([endedAt, stream?.text, body]).toEqual([90, 'abc', '']);
  });

  test.each([
    ['chunks', head + event('a') + event('END') + last],
    ['chunks with extensions', head + `9;x=y\r\ndata: a\n\n\r\n` + event('END') + last],
    [
      'a length',
      'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 20\r\n\r\ndata: a\n\ndata: END\n\n',
    ],
    ['CR LF', head + chunk('data: a\r\n\r\ndata: END\r\n\r\n') + last],
  ])('arrives by %s, and its connection is reused for the next exchange', async (_, bytes) => {
    const peer = await openPeer(({ socket }) => void socket.write(bytes));
    const sender = openTestSender(peer.port);
    for (const reused of [false, true]) {
      const got = await sender.send(pieceRequest(), systemClock.now());
      expect([got.failure, got.stream?.text, got.content?.gapsMs, got.reused]).toEqual([undefined, 'a', [], reused]);
    }
  });

  test('that ends with the connection is complete', async () => {
    const got = await exchange(
      (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: a\n\n'),
    );
    expect([got.failure, got.stream?.text]).toEqual([undefined, 'a']);
  });

  test('may be JSON lines, the last of them without a line break', async () => {
    const got = await exchange(
      (socket) => void socket.write(headOf('application/x-ndjson') + chunk('a\n\nb\r\n') + chunk('END') + last),
      { framing: 'json-lines' },
    );
    expect([got.stream?.text, got.content?.sharedReads]).toEqual(['ab', 1]);
    expect(got.stream?.conclude(got).outcome).toBe('ok');
  });

  test.each([
    ['a whole reply', '200 OK', 'application/json', '{"a":1}'],
    ['an error', '429 Too Many', 'application/json', '{"error":1}'],
    ['another type', '200 OK', 'text/html', '<p>'],
    ['an event stream with an error status', '500 Oops', 'text/event-stream', 'data: a\n\n'],
  ])('is not streamed if %s arrived: the body is read at once', async (_, status, type, body) => {
    const got = await exchange(
      (socket) => void socket.write(response(body, { status, lines: [`Content-Type: ${type}`] })),
    );
    expect([got.failure, got.body, got.stream, got.content]).toEqual([undefined, body, undefined, undefined]);
  });

  test.each(['text/plain', 'application/json', 'text/html'])(
    'is streamed as %s if its format is stated',
    async (type) => {
      const request = pieceRequest('sse', true);
      const answered = async (status: string, body: string): Promise<Exchange> => {
        const bytes = response(body, { status, lines: [`Content-Type: ${type}`] });
        const peer = await openPeer(({ socket }) => void socket.write(bytes));
        return openTestSender(peer.port).send(request, systemClock.now());
      };
      const got = await answered('202 Accepted', 'data: a\n\ndata: END\n\n');
      expect([got.stream?.text, got.body]).toEqual(['a', '']);
      const whole = await answered('200 OK', '{"a":1}');
      expect([whole.stream, whole.content, whole.body]).toEqual([undefined, undefined, '{"a":1}']);
      const refusal = await answered('500 Oops', 'data: a\n\n');
      expect([refusal.stream, refusal.body]).toEqual([undefined, 'data: a\n\n']);
    },
  );

  test('that breaks keeps the events received', async () => {
    const got = await exchange(async (socket, sender) => {
      await write(socket, sender, head + event('a') + event('b'));
      socket.resetAndDestroy();
    });
    expect([got.failure, got.stream?.text, got.content?.sharedReads]).toEqual(['connection_lost', 'ab', 1]);
  });

  test('whose chunks break off is lost', async () => {
    const got = await exchange((socket) => void socket.end(head + event('a')));
    expect([got.failure, got.stream?.text]).toEqual(['connection_lost', 'a']);
  });

  test('with an event over the limit is malformed, even if it arrives in small chunks', async () => {
    const piece = 'x'.repeat(1000);
    const got = await exchange(
      (socket) => void socket.write(head + chunk('data: ') + Array(10_000).fill(chunk(piece)).join('')),
      { maxEventBytes: 100_000 },
    );
    expect([got.failure, got.detail]).toEqual(['malformed', 'an event of the stream is over the limit of its size']);
  });

  test('that is not UTF-8 is reported, and one with a character split between chunks is not', async () => {
    const euro = Buffer.from('€');
    const cut = await exchange(async (socket, sender) => {
      await write(socket, sender, `${head}a\r\ndata: `);
      socket.write(Buffer.concat([Buffer.from('x'), euro.subarray(0, 1)]));
      await eventually(() => sender.traffic.bytesReceived > head.length + 9);
      socket.write(Buffer.concat([euro.subarray(1), Buffer.from(`\r\n${chunk('\n\n')}${event('END')}${last}`)]));
    });
    const wrong = await exchange((socket) => {
      socket.write(Buffer.concat([Buffer.from(`${head}9\r\ndata: `), Buffer.of(0xff), Buffer.from(`\n\n\r\n${last}`)]));
    });
    expect([cut.isUtf8, cut.stream?.text]).toEqual([true, 'x€']);
    expect(wrong.isUtf8).toBe(false);
  });

  test('whose content stalls beyond the limit is timed out, and keeps the events received', async () => {
    const got = await exchange((socket) => void socket.write(head + event('a')), { stallTimeoutMs: ms(30) });
    expect([got.failure, got.stream?.text]).toEqual(['timed_out', 'a']);
    expect(got.detail).toMatch(/^no further content within 30 ms: it stalled after \d+ bytes of the body$/);
  });

  test.each([
    ['comments', ': keep-alive\n\n', 300],
    ['events without content', 'data:\n\n', 300],
    ['content', 'data: b\n\n', 500],
  ])('stalls after its last content: with %s at 200 ms', async (_, text, endedAt) => {
    const clock = new VirtualClock();
    const answer: Answer = async (socket, sender) => {
      await write(socket, sender, head + event('a'));
      await clock.run(200);
      await write(socket, sender, chunk(text));
      await clock.run(600);
    };
    const got = await exchange(answer, { clock, stallTimeoutMs: ms(300), timeoutMs: ms(5000) });
    expect(got).toMatchObject({ failure: 'timed_out', endedAt });
  });

  test.each<[string, Options, RegExp]>([
    [
      'stall timeout',
      { stallTimeoutMs: ms(30) },
      /^the end of the reply had arrived, but the response was not ended within 30 ms of its last content, after \d+ bytes of the body$/,
    ],
    [
      'timeout',
      { timeoutMs: ms(60) },
      /^no complete response within 60 ms: the end of the reply had arrived, but the response was not ended, after \d+ bytes of the body$/,
    ],
  ])('does not stall after its end marker if the response stays open: %s', async (_, options, words) => {
    const clock = new VirtualClock();
    const answer: Answer = async (socket, sender) => {
      await write(socket, sender, head + event('a') + event('END'));
      await clock.run(100);
    };
    const got = await exchange(answer, { clock, ...options });
    expect([got.failure, got.stream?.text]).toEqual(['timed_out', 'a']);
    expect(got.detail).toMatch(words);
  });

  test('whose content has not begun does not stall', async () => {
    const got = await exchange((socket) => void socket.write(head + event('')), {
      stallTimeoutMs: ms(1),
      timeoutMs: ms(60),
    });
    expect([got.failure, got.detail]).toEqual([
      'timed_out',
      expect.stringMatching(/^no complete response within 60 ms/),
    ]);
  });
});

describe('a user who leaves', () => {
  test('ends the exchange, whose content is kept', async () => {
    const got = await exchange((socket) => void socket.write(head + event('a')), { leaveAfterMs: 40 });
    expect([got.failure, got.stream?.text, got.content?.gapsMs]).toEqual(['abandoned', 'a', []]);
  });

  test('does not end an exchange that was complete before, nor the next one on its connection', async () => {
    const peer = await openPeer(({ socket, number }) => {
      if (number === 1) socket.write(head + event('END') + last);
      else socket.write(head + event('a'));
    });
    const sender = openTestSender(peer.port, { timeoutMs: ms(120) });
    const first = await sender.send(pieceRequest(), systemClock.now(), ms(30));
    const second = await sender.send(pieceRequest(), systemClock.now());
    expect([first.failure, second.failure, second.reused]).toEqual([undefined, 'timed_out', true]);
  });
});

test('requested header fields are present, of cookies only the pairs', async () => {
  const lines = [
    'Set-Cookie: sid=1; Path=/',
    'Set-Cookie: b=2; HttpOnly',
    'Set-Cookie: bad\tone=1',
    'Location: /next',
    'X: y',
  ];
  const peer = await openPeer(({ socket }) => void socket.write(response('{}', { lines })));
  const sender = openTestSender(peer.port);
  const route = {
    operation: 'create',
    method: 'POST',
    path: '/',
    headers: {},
    wantedHeaders: ['set-cookie', 'location'],
  } as const;
  const { headers, body } = await sender.send({ route, body: '' }, systemClock.now());
  expect([headers, body]).toEqual([{ 'set-cookie': 'sid=1; b=2', location: '/next' }, '{}']);
});
