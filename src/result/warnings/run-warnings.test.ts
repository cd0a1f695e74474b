import { expect, test, describe } from 'vitest';
import { memoryTrace } from '../../../test/support/memory-trace.ts';
import { resolveScenario } from '../../plan/resolve-scenario.ts';
import { skippedLinesWarnings, endingWarnings, tlsWarnings } from '../sections/warning.ts';
import type { Transport } from '../sections/transport.ts';

const why = 'is not JSON';

function planWith(count: number) {
  const whole = memoryTrace([{ atMs: 0, turns: [[0, 9, 9]] }]);
  const first = Array.from({ length: Math.min(count, 10) }, (_, at) => ({ line: at + 2, why }));
  const trace = { ...whole, file: 'monday.csv', facts: { ...whole.facts, malformed: { count, first } } };
  const load = { trace: (() => trace) as unknown as string };
  return resolveScenario({ name: 'x', load }, { flags: {}, environment: {} }).plan;
}

test('skipped lines of a trace cause a warning, with the first five of them', () => {
  expect(skippedLinesWarnings(planWith(7))).toEqual([
    {
      code: 'trace_lines_left_out',
      message: `7 malformed lines of monday.csv were skipped (${[2, 3, 4, 5, 6].map((line) => `line ${String(line)}: ${why}`).join('; ')}; ...). The other requests were replayed.`,
      remedy: 'Correct or remove these lines.',
    },
  ]);
  expect(skippedLinesWarnings(planWith(1))[0]?.message).toBe(
    `1 malformed line of monday.csv was skipped (line 2: ${why}). The other requests were replayed.`,
  );
});

test('a complete trace, and no file at all, are not a warning', () => {
  expect(skippedLinesWarnings(planWith(0))).toEqual([]);
  const { plan } = resolveScenario({ name: 'x', messages: ['hi'], sessions: 1 }, { flags: {}, environment: {} });
  expect(skippedLinesWarnings(plan)).toEqual([]);
});

const startedAt = '2026-03-01T12:00:00.000Z';
const tls = (changes: Partial<NonNullable<Transport['tls']>>): Transport['tls'] => ({
  protocol: 'TLSv1.3',
  handshakes: 1,
  resumed: 0,
  isVerified: true,
  issuer: 'Tests, R1',
  validTo: '2027-01-01T00:00:00.000Z',
  ...changes,
});
const said = (changes: Partial<NonNullable<Transport['tls']>>): string[] =>
  tlsWarnings(tls(changes), startedAt).map(({ message }) => message);

describe('the certificate of the target', () => {
  test.each([
    ['2026-03-15T12:00:01.000Z', []],
    [
      '2026-03-15T11:59:59.000Z',
      ['The certificate of the target (issued by Tests, R1) expires in 13 days, on 2026-03-15.'],
    ],
    [
      '2026-03-02T13:00:00.000Z',
      ['The certificate of the target (issued by Tests, R1) expires in a day, on 2026-03-02.'],
    ],
    [
      '2026-03-01T13:00:00.000Z',
      ['The certificate of the target (issued by Tests, R1) expires within a day, on 2026-03-01.'],
    ],
    ['2026-02-01T00:00:00.000Z', ['The certificate of the target (issued by Tests, R1) expired on 2026-02-01.']],
    [null, []],
  ])('that ends at %s: %o', (validTo, expected) => expect(said({ validTo })).toEqual(expected));

  test('that was not verified is a warning', () => {
    expect(said({ isVerified: false }).join()).toContain('The certificate of the target was not verified (--insecure)');
    expect(tlsWarnings(null, startedAt)).toEqual([]);
  });
});

test('the client certificate has its own code', () => {
  const client = { whose: 'client', issuer: '', validTo: '2026-03-05T12:00:00.000Z' } as const;
  expect(endingWarnings(client, Date.parse(startedAt))).toMatchObject([
    { code: 'client_certificate_ends', message: 'The client certificate expires in 4 days, on 2026-03-05.' },
  ]);
});
