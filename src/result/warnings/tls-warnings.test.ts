import { describe, expect, test } from 'vitest';
import type { Transport } from '../sections/transport.ts';
import { endingWarnings, tlsWarnings } from './tls-warnings.ts';

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
      ['The certificate of the target (issued by Tests, R1) ends in 13 days, on 2026-03-15.'],
    ],
    ['2026-03-02T13:00:00.000Z', ['The certificate of the target (issued by Tests, R1) ends in a day, on 2026-03-02.']],
    [
      '2026-03-01T13:00:00.000Z',
      ['The certificate of the target (issued by Tests, R1) ends within a day, on 2026-03-01.'],
    ],
    ['2026-02-01T00:00:00.000Z', ['The certificate of the target (issued by Tests, R1) ended on 2026-02-01.']],
    [null, []],
  ])('that ends at %s: %o', (validTo, expected) => expect(said({ validTo })).toEqual(expected));

  test('that was not verified is told', () => {
    expect(said({ isVerified: false }).join()).toContain('The certificate of the target was not verified (--insecure)');
    expect(tlsWarnings(null, startedAt)).toEqual([]);
  });
});

test('the client certificate is told apart', () => {
  const client = { whose: 'client', issuer: '', validTo: '2026-03-05T12:00:00.000Z' } as const;
  expect(endingWarnings(client, Date.parse(startedAt))).toMatchObject([
    { code: 'client_certificate_ends', message: 'The client certificate ends in 4 days, on 2026-03-05.' },
  ]);
});
