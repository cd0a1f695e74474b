import { describe, expect, test } from 'vitest';
import { readSpans } from '../../../test/support/traces.ts';
import { instant } from '../../base/time.ts';
import type { EndedSpan } from '../../record/spans.ts';
import { JsonSpans } from './json-spans.ts';
import { ProtobufSpans } from './protobuf-spans.ts';

const resource = { attributes: { 'service.name': 'chat-load' }, scope: { name: 'chat-load', version: '1.2.3' } };
const originMs = 1_800_000_000_000.25;

const spanOf = (changes: Partial<EndedSpan>): EndedSpan => ({
  traceId: '0123456789abcdef'.repeat(2),
  spanId: 'fedcba9876543210',
  name: 'turn',
  kind: 'internal',
  isSampled: true,
  startedAt: instant(0),
  endedAt: instant(65_536_000),
  isFailed: false,
  attributes: {},
  ...changes,
});

const sent = (spans: readonly EndedSpan[]) => {
  const form = new ProtobufSpans(resource);
  for (const span of spans) form.add(span, originMs, (text) => text);
  return readSpans(form.take());
};

describe('spans as protobuf, read by OpenTelemetry', () => {
  const texts = ['', 'a', 'é✓😀', 'x'.repeat(127), 'x'.repeat(128), 'x'.repeat(20_000), 'x'.repeat(200_000)];
  test.each(texts.map((text) => ({ length: text.length, text })))('have texts of $length characters', ({ text }) => {
    const spans = [spanOf({ name: text, attributes: { text } }), spanOf({ name: 'next' })];
    expect(sent(spans)).toMatchObject([{ name: text, attributes: { text } }, { name: 'next' }]);
  });

  const numbers = [0, 127, 128, 16_384, 2 ** 31, 2 ** 40 + 1, Number.MAX_SAFE_INTEGER, -1, 0.5, -1e-9, 1e300];
  test.each(numbers)('have the number %d', (number) => {
    expect(sent([spanOf({ attributes: { number } })])[0]?.attributes).toEqual({ number });
  });

  test('have ids, parents, links, kinds, flags, states and times', () => {
    const link = { traceId: 'f'.repeat(32), spanId: '1'.repeat(16) };
    const failed = { isFailed: true, isSampled: false, parentId: '2'.repeat(16), kind: 'server' } as const;
    const [plain, other] = sent([spanOf({ attributes: { absent: undefined } }), spanOf({ ...failed, link })]);
    expect(plain).toMatchObject({
      traceId: spanOf({}).traceId,
      spanId: spanOf({}).spanId,
      parentId: '',
      kind: 1,
      flags: 1,
    });
    expect([plain?.attributes, plain?.links, plain?.status]).toEqual([{}, [], 0]);
    expect([plain?.startMs, plain?.endMs]).toEqual([originMs, originMs + 65_536_000]);
    expect(other).toMatchObject({ parentId: failed.parentId, kind: 2, flags: 0, status: 2 });
    expect(other?.links).toEqual([`${link.traceId}-${link.spanId}`]);
  });

  test('are empty again after a request, and have no secret', () => {
    const form = new ProtobufSpans(resource);
    const redact = (text: string): string => text.replace('secret', '***');
    form.add(spanOf({ name: 'my secret', attributes: { text: 'a secret' } }), originMs, redact);
    expect(readSpans(form.take())).toMatchObject([{ name: 'my ***', attributes: { text: 'a ***' } }]);
    expect(readSpans(form.take())).toEqual([]);
  });
});

test('spans as JSON have the mapping of OTLP', () => {
  const form = new JsonSpans(resource);
  const link = { traceId: 'f'.repeat(32), spanId: '1'.repeat(16) };
  form.add(
    spanOf({ link, attributes: { text: 'a secret', whole: 3, part: 0.5, absent: undefined } }),
    originMs,
    (text) => text.replace('secret', '***'),
  );
  expect(JSON.parse(form.take().toString())).toEqual({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'chat-load' } }] },
        scopeSpans: [
          {
            scope: resource.scope,
            spans: [
              {
                traceId: '0123456789abcdef'.repeat(2),
                spanId: 'fedcba9876543210',
                name: 'turn',
                kind: 1,
                startTimeUnixNano: '1800000000000250000',
                endTimeUnixNano: '1800065536000250000',
                attributes: [
                  { key: 'text', value: { stringValue: 'a ***' } },
                  { key: 'whole', value: { intValue: 3 } },
                  { key: 'part', value: { doubleValue: 0.5 } },
                ],
                links: [{ ...link, flags: 0x101 }],
                status: { code: 0 },
                flags: 0x101,
              },
            ],
          },
        ],
      },
    ],
  });
});
