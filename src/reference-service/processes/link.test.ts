import fc from 'fast-check';
import { PassThrough } from 'node:stream';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { instant } from '../../base/time.ts';
import { servedNames } from '../../protocol/registry/registry.ts';
import { serviceClasses } from '../books/service-class.ts';
import { Link, type LinkMessage } from './link.ts';

const id = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const text = fc.string({ unit: 'grapheme', maxLength: 300 });
const maybe = fc.option(text, { nil: undefined });
const message: fc.Arbitrary<LinkMessage> = fc.oneof(
  fc.record({
    kind: fc.constant('request' as const),
    id,
    request: fc.record({
      operation: fc.constantFrom('message' as const, 'create' as const),
      api: fc.constantFrom(...servedNames()),
      arrivedAt: fc.double({ min: 0, max: 1e12, noNaN: true }).map(instant),
      incoming: fc.record({ authorization: maybe, contentType: maybe, params: fc.dictionary(fc.string(), text) }),
    }),
    text: fc.oneof(maybe, fc.constantFrom('é\n\t'.repeat(50_000), 'é\t'.repeat(50_000))),
  }),
  fc.record({
    kind: fc.constant('delivery' as const),
    id,
    delivery: fc.record({
      outcome: fc.constantFrom(...serviceClasses),
      status: fc.integer({ min: 0, max: 599 }),
      retryAfter: maybe,
    }),
    text,
  }),
  fc.record({ kind: fc.constant('text' as const), id, text }),
  fc.record({ kind: fc.constant('end' as const), id, how: fc.constantFrom('whole' as const, 'reset', 'closed') }),
  fc.record({ kind: fc.constant('gone' as const), id }),
);

test('a link carries messages in order, in one write, however their bytes are split', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { minLength: 1, maxLength: 20 }),
      fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 5 }),
      async (sent, sizes) => {
        const outbound = new PassThrough({ highWaterMark: 1e8 });
        const link = new Link(outbound as unknown as Socket);
        for (const each of sent) link.send(each);
        await new Promise(setImmediate);
        const written = outbound.read() as Buffer;
        const inbound = new PassThrough();
        const received: LinkMessage[] = [];
        new Link(inbound as unknown as Socket).open((each) => received.push(each));
        for (let at = 0, turn = 0; at < written.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          inbound.write(written.subarray(at, at + size));
          at += size;
        }
        inbound.end();
        await new Promise((resolve) => inbound.once('end', resolve));
        expect(outbound.read()).toBeNull();
        expect(received).toEqual(sent);
      },
    ),
    { numRuns: 50 },
  );
});
