import { describe, expect, test } from 'vitest';
import type { FailedClass } from '../protocol/outcome.ts';
import type { Exchange } from './send.ts';
import { readStatedWait } from './stated-wait.ts';

const noonMs = Date.UTC(2026, 10, 1, 12);
const dateAt = (secondsLater: number): string => new Date(noonMs + secondsLater * 1000).toUTCString();
const unixAt = (secondsLater: number): string => String(noonMs / 1000 + secondsLater);
/** Clock of this machine, which is an hour late. */
const wallNow = noonMs - 3_600_000;

type Stated = Partial<Pick<Exchange, 'retryAfter' | 'waits' | 'date' | 'status'>>;

/** Reads the wait of a refusal that was sent at noon. */
function read(stated: Stated, outcome: FailedClass = 'rate_limited') {
  const refused = { status: 429, retryAfter: undefined, date: dateAt(0), ...stated };
  return readStatedWait(refused, outcome, wallNow);
}

const afterMs = (delayMs: number) => ({ kind: 'wait', delayMs });
const unread = (text: string) => ({ kind: 'invalid', unread: text });
const past = { kind: 'invalid', unread: undefined };
const absent = { kind: 'absent' };

test.each<[string, object]>([
  ['2', afterMs(2000)],
  ['0', afterMs(0)],
  [' 1.5 ', afterMs(1500)],
  ['0.02', afterMs(20)],
  [dateAt(7), afterMs(7000)],
  [dateAt(0), past],
  [dateAt(-60), past],
  ['-3', unread('Retry-After: -3')],
  ['soon', unread('Retry-After: soon')],
  ['1,5', unread('Retry-After: 1,5')],
  ['.5', unread('Retry-After: .5')],
  ['2s', unread('Retry-After: 2s')],
  ['', unread('Retry-After: ')],
  ['Wed, 32 Foo 2026 99:99:99 GMT', unread('Retry-After: Wed, 32 Foo 2026 99:99:99 GMT')],
  ['a'.repeat(100), unread('Retry-After: (100 characters)')],
])('Retry-After: %s', (retryAfter, wait) => {
  expect(read({ retryAfter })).toEqual(wait);
});

test('without the date of its response, a date is compared with the clock of this machine', () => {
  expect(read({ retryAfter: dateAt(0), date: undefined })).toEqual(afterMs(3_600_000));
});

test.each<[string, object]>([
  ['1s', afterMs(1000)],
  ['6m0s', afterMs(360_000)],
  ['20ms', afterMs(20)],
  ['1h2m3.5s', afterMs(3_723_500)],
  ['0s', afterMs(0)],
  ['30', afterMs(30_000)],
  ['0.65', afterMs(650)],
  [unixAt(9), afterMs(9000)],
  [String(noonMs + 9500), afterMs(9500)],
  ['2026-11-01T12:00:09Z', afterMs(9000)],
  [unixAt(-5), past],
  ['later', unread('x-ratelimit-reset: later')],
  ['1m2', unread('x-ratelimit-reset: 1m2')],
  ['-1', unread('x-ratelimit-reset: -1')],
])('x-ratelimit-reset: %s', (reset, wait) => {
  expect(read({ waits: { 'x-ratelimit-reset': reset } })).toEqual(wait);
});

describe('of several waits', () => {
  const resets = { 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '9s' };

  test.each<[string, Stated, object]>([
    ['retry-after-ms wins', { retryAfter: '9', waits: { 'retry-after-ms': '700', ...resets } }, afterMs(700)],
    ['Retry-After wins over resets', { retryAfter: '2', waits: resets }, afterMs(2000)],
    ['Retry-After: 0 wins, too', { retryAfter: '0', waits: resets }, afterMs(0)],
    [
      'the next is read in place of a broken one',
      { retryAfter: '2', waits: { 'retry-after-ms': '-5' } },
      afterMs(2000),
    ],
    ['resets are read in place of a broken Retry-After', { retryAfter: 'soon', waits: resets }, afterMs(9000)],
    ['the latest reset counts', { waits: resets }, afterMs(9000)],
    ['a broken reset is no obstacle', { waits: { ...resets, 'ratelimit-reset': '?' } }, afterMs(9000)],
    [
      'the first broken one is named',
      { retryAfter: 'soon', waits: { 'retry-after-ms': '?' } },
      unread('retry-after-ms: ?'),
    ],
  ])('%s', (_, stated, wait) => {
    expect(read(stated)).toEqual(wait);
  });

  test.each<[string, Record<string, string>, object]>([
    [
      'of which nothing remains',
      { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-remaining-tokens': '50' },
      afterMs(1000),
    ],
    [
      'all, if something remains of each',
      { 'x-ratelimit-remaining-requests': '3', 'x-ratelimit-remaining-tokens': '50' },
      afterMs(9000),
    ],
  ])('a refusal by a rate has the reset of the limit %s', (_, remaining, wait) => {
    expect(read({ waits: { ...resets, ...remaining } })).toEqual(wait);
  });
});

test.each<[string, object]>([
  ['limit=9, remaining=0, reset=5', afterMs(5000)],
  ['"default";r=0;t=7', afterMs(7000)],
  ['"burst";r=3;t=1, "day";r=0;t=60', afterMs(60_000)],
  ['"burst";r=0;t=2, "day";r=5;t=60', afterMs(2000)],
  ['"default";r=0', absent],
  ['x'.repeat(70_000), absent],
])('all limits: %.40s', (all, wait) => {
  expect(read({ waits: { ratelimit: all } })).toEqual(wait);
});

describe('resets of limits', () => {
  const waits = { 'ratelimit-reset': '9' };

  test.each<[FailedClass, number, object]>([
    ['rate_limited', 429, afterMs(9000)],
    ['provider_rate_limited', 429, afterMs(9000)],
    ['rate_limited', 101, afterMs(9000)],
    ['server_error', 503, afterMs(9000)],
    ['provider_error', 503, afterMs(9000)],
    ['server_error', 502, absent],
    ['internal_error', 500, absent],
    ['http_other', 409, absent],
  ])('count for %s with status %i: %j', (outcome, status, wait) => {
    expect(read({ waits, status }, outcome)).toEqual(wait);
  });

  test('do not count for 503 if something remains of the limit', () => {
    expect(read({ waits: { ...waits, 'ratelimit-remaining': '5' }, status: 503 }, 'server_error')).toEqual(absent);
  });
});

test.each(['x-retry-after', 'x-ms-retry-after-ms'])('a wait in %s is not read', (name) => {
  expect(read({ waits: { [name]: '5' } })).toEqual(unread(`${name}: 5`));
});

test('a rest of a limit is no wait', () => {
  expect(read({ waits: { 'x-ratelimit-remaining-requests': '0' } })).toEqual(absent);
});
