import fc from 'fast-check';
import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { instant } from '../../base/time.ts';
import { protocolNames } from '../../protocol/registry/registry.ts';
import { streamEnds } from '../http/write-delivery.ts';
import { serviceClasses } from '../books/service-class.ts';
import { Link, type LinkEnd } from './link.ts';

/** A socket that keeps what is written to it. */
function recordingSocket() {
  const written: Buffer[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      written.push(chunk);
      done();
    },
  });
  return { socket: socket as unknown as Socket, written };
}

/** What a link reads from these bytes when they come in pieces of these sizes. */
function readIn(bytes: Buffer, sizes: readonly number[]): unknown[] {
  const read: unknown[] = [];
  const end: LinkEnd = {
    request: (id, request) => read.push(['request', id, request]),
    delivery: (id, delivery) => read.push(['delivery', id, delivery]),
    text: (id, text) => read.push(['text', id, text]),
    end: (id, how) => read.push(['end', id, how]),
    gone: (id) => read.push(['gone', id]),
  };
  const link = new Link(recordingSocket().socket);
  link.open(end);
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    const piece = Buffer.from(bytes.subarray(at, at + size));
    link.receive(piece);
    // As the next read does.
    piece.fill(0);
    at += size;
  }
  return read;
}

const id = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const text = fc.string({ unit: 'grapheme', maxLength: 300 });
const maybe = fc.option(text, { nil: undefined });
const sent = fc.oneof(
  fc.record({
    kind: fc.constant('request' as const),
    id,
    content: fc.record({
      operation: fc.constantFrom('message' as const, 'create' as const),
      api: fc.constantFrom(...protocolNames),
      arrivedAt: fc.double({ min: 0, max: 1e12, noNaN: true }).map(instant),
      incoming: fc.record({
        authorization: maybe,
        contentType: maybe,
        body: fc.oneof(maybe, fc.constant('é'.repeat(70_000))),
      }),
    }),
  }),
  fc.record({
    kind: fc.constant('delivery' as const),
    id,
    content: fc.record({
      outcome: fc.constantFrom(...serviceClasses),
      status: fc.integer({ min: 0, max: 599 }),
      body: text,
      retryAfter: maybe,
    }),
  }),
  fc.record({ kind: fc.constant('text' as const), id, content: text }),
  fc.record({ kind: fc.constant('end' as const), id, content: fc.constantFrom(...streamEnds) }),
);

type Sent = typeof sent extends fc.Arbitrary<infer One> ? One : never;

function send(link: Link, one: Sent): void {
  if (one.kind === 'request') link.request(one.id, one.content);
  else if (one.kind === 'delivery') link.delivery(one.id, one.content);
  else if (one.kind === 'text') link.text(one.id, one.content);
  else link.end(one.id, one.content);
}

test('a link brings what was sent, in order, in one write, in whatever pieces it comes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sent, { minLength: 1, maxLength: 20 }),
      fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 5 }),
      async (all, sizes) => {
        const { socket, written } = recordingSocket();
        const link = new Link(socket);
        for (const one of all) send(link, one);
        link.gone(7);
        await new Promise(setImmediate);
        expect(written).toHaveLength(1);
        const expected = all.map(({ kind, id: given, content }) => [kind, given, content]);
        expect(readIn(Buffer.concat(written), sizes)).toEqual([...expected, ['gone', 7]]);
      },
    ),
    { numRuns: 50 },
  );
});
