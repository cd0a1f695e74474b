import { nameOrLength } from '../base/excerpt.ts';
import { printable } from '../base/printable.ts';
import { ms, type Ms } from '../base/time.ts';
import { rateLimit, retryAfterMs } from '../base/wait-fields.ts';
import { traitsOf, type FailedClass } from '../protocol/outcome.ts';
import type { Exchange } from './send.ts';

/**
 * Wait that a failed attempt stated. `invalid`: it cannot be read, or lies in the past, as if there were none; `unread` is
 * the field that could not be read, as `name: value`.
 */
export type StatedWait =
  { kind: 'absent' } | { kind: 'invalid'; unread?: string | undefined } | { kind: 'wait'; delayMs: Ms };

export const noWait: StatedWait = { kind: 'absent' };

type Refused = Pick<Exchange, 'retryAfter' | 'waits' | 'date' | 'status'>;

/**
 * Reads the wait that a failed attempt stated, from the first of these that can be read: `retry-after-ms`, `Retry-After`,
 * and, only for refusals, the latest reset of a limit. `wallNow`: milliseconds since 1970, used if the response has no date.
 */
export function readStatedWait(exchange: Refused, outcome: FailedClass, wallNow: number): StatedWait {
  const { retryAfter, waits, date } = exchange;
  if (retryAfter === undefined && waits === undefined) return noWait;
  const now = readHttpDate(date?.trim() ?? '') ?? wallNow;
  const stated: (readonly [name: string, value: string, delayMs: number | undefined])[] = [];
  const millis = waits?.[retryAfterMs];
  if (millis !== undefined) stated.push([retryAfterMs, millis, readNumber(millis.trim())]);
  if (retryAfter !== undefined) stated.push(['Retry-After', retryAfter, delayIn(retryAfter.trim(), now)]);
  for (const [, , delayMs] of stated) if (delayMs !== undefined && delayMs >= 0) return wait(delayMs);
  if (waits !== undefined) {
    const resets = resetsIn(withLimits(waits), exchange, outcome).map(
      ([name, value]) => [name, value, resetIn(value.trim(), now)] as const,
    );
    const delays = resets.flatMap(([, , delayMs]) => (delayMs !== undefined && delayMs >= 0 ? [delayMs] : []));
    if (delays.length > 0) return wait(Math.max(...delays));
    stated.push(...resets, ...unknownFields(waits).map(([name, value]) => [name, value, undefined] as const));
  }
  if (stated.length === 0) return noWait;
  const unread = stated.find(([, , delayMs]) => delayMs === undefined);
  return { kind: 'invalid', unread: unread && describe(unread[0], unread[1]) };
}

const wait = (delayMs: number): StatedWait => ({ kind: 'wait', delayMs: ms(delayMs) });

/** Longer values are not quoted: a secret in a shortened one could no longer be recognized. */
const maxQuoted = 60;

const describe = (name: string, value: string): string => `${name}: ${printable(nameOrLength(value, maxQuoted))}`;

/** Returns the fields of waits that no rule reads. */
const unknownFields = (waits: NonNullable<Exchange['waits']>): [string, string][] =>
  Object.entries(waits).filter(([name]) => name !== retryAfterMs && /retry-?after/.test(name));

/** Returns the fields with those that the field of all limits contains: `"burst";r=0;t=5`, or `limit=9, remaining=0, reset=5`. */
function withLimits(waits: NonNullable<Exchange['waits']>): NonNullable<Exchange['waits']> {
  const { [rateLimit]: all, ...others } = waits;
  if (all === undefined || all.length > maxLimits) return waits;
  const items = all.includes(';') ? all.split(',') : [all];
  return Object.fromEntries([
    ...Object.entries(others),
    ...items.flatMap((item, at) =>
      [...item.matchAll(limitPart)].map(([, name = '', value = '']) => [
        `${rateLimit}-${String(at)}-${/^r(?:emaining)?$/.test(name) ? 'remaining' : 'reset'}`,
        value,
      ]),
    ),
  ]) as NonNullable<Exchange['waits']>;
}

/** Longer lists of limits are not read. */
const maxLimits = 1000;
const limitPart = /(?:^|[;,\s])(r|t|remaining|reset)=(\d{1,12})(?=[;,\s]|$)/g;

const isReset = (name: string): boolean => /-reset(?:-|$)/.test(name);

/**
 * Returns the resets of limits that a refusal applies: those of which nothing remains, or whose rest is not stated. A refusal
 * by a rate that states a rest of every limit needed more than that: then all apply. Other failures have no such wait.
 */
function resetsIn(
  waits: NonNullable<Exchange['waits']>,
  { status }: Pick<Exchange, 'status'>,
  outcome: FailedClass,
): [string, string][] {
  const isRated = status === tooMany || traitsOf(outcome).group === '429';
  if (!isRated && status !== unavailable) return [];
  const resets = Object.entries(waits).filter(([name]) => isReset(name));
  const usedUp = resets.filter(([name]) => !(Number(waits[name.replace('-reset', '-remaining')] ?? 0) > 0));
  return usedUp.length === 0 && isRated ? resets : usedUp;
}

const tooMany = 429;
const unavailable = 503;

/** Reads `Retry-After` (RFC 9110, section 10.2.3), also with fractions of a second, in milliseconds; negative: in the past. */
function delayIn(text: string, now: number): number | undefined {
  const seconds = readNumber(text);
  if (seconds !== undefined) return seconds * 1000;
  const at = readHttpDate(text);
  // A date that is now is no wait, and thus past.
  return at === undefined ? undefined : at - now || -1;
}

/** Smallest numbers that are a time since 1970 in seconds or milliseconds: no limit resets after 30 years. */
const minUnixSeconds = 1e9;
const minUnixMs = 1e11;

/** Reads the reset of a limit, in milliseconds from now: seconds, a time since 1970, a date, or a duration such as `6m0s`. */
function resetIn(text: string, now: number): number | undefined {
  const number = readNumber(text);
  if (number !== undefined) {
    if (number >= minUnixMs) return number - now;
    return number >= minUnixSeconds ? number * 1000 - now : number * 1000;
  }
  const at = isoDate.test(text) ? Date.parse(text) : (readHttpDate(text) ?? NaN);
  return Number.isNaN(at) ? readDuration(text) : at - now;
}

const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const duration = /^(?:\d+(?:\.\d+)?(?:ms|us|ns|[dhms]))+$/;
const durationPart = /(\d+(?:\.\d+)?)(ms|us|ns|[dhms])/g;
const unitsMs: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 1e-3,
  ns: 1e-6,
};

/** Reads a duration as Go writes it, in milliseconds. */
function readDuration(text: string): number | undefined {
  if (!duration.test(text)) return undefined;
  return [...text.matchAll(durationPart)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * (unitsMs[unit ?? ''] ?? 0),
    0,
  );
}

const readNumber = (text: string): number | undefined => (/^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined);

/** The three forms of an HTTP date (RFC 9110, section 5.6.7). */
const httpDate =
  /^(?:\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT|\w{6,9}, \d{2}-\w{3}-\d{2} \d{2}:\d{2}:\d{2} GMT|\w{3} \w{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/;

/** Milliseconds since 1970. */
function readHttpDate(text: string): number | undefined {
  if (!httpDate.test(text)) return undefined;
  // The form of C's asctime() names no zone and means GMT; Date.parse would take it for local time.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : at;
}
