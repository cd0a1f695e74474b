import { ms, type Ms } from '../base/time.ts';

/** What a `Retry-After` header asks for. */
export type RetryAfter = { kind: 'absent' } | { kind: 'invalid' } | { kind: 'wait'; delayMs: Ms };

const seconds = /^\d+$/;
/** The three forms of an HTTP date (RFC 9110, section 5.6.7). */
const httpDate =
  /^(?:\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT|\w{6,9}, \d{2}-\w{3}-\d{2} \d{2}:\d{2}:\d{2} GMT|\w{3} \w{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/;

/**
 * Reads `Retry-After` (RFC 9110, section 10.2.3): whole seconds, or an HTTP date. A date is compared with the service's
 * clock, which may be wrong: the `Date` of the same response; without one, the wall clock `wallNow` (milliseconds since
 * 1970). Malformed values and dates in the past are invalid.
 */
export function readRetryAfter(header: string | undefined, wallNow: number, date?: string): RetryAfter {
  if (header === undefined) return { kind: 'absent' };
  const text = header.trim();
  if (seconds.test(text)) return { kind: 'wait', delayMs: ms(Number(text) * 1000) };
  const at = readHttpDate(text);
  if (at === undefined) return { kind: 'invalid' };
  const delayMs = at - (readHttpDate(date?.trim() ?? '') ?? wallNow);
  return delayMs > 0 ? { kind: 'wait', delayMs: ms(delayMs) } : { kind: 'invalid' };
}

/** Milliseconds since 1970. */
function readHttpDate(text: string): number | undefined {
  if (!httpDate.test(text)) return undefined;
  // The form of C's asctime() names no zone and means GMT; Date.parse would take it for local time.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : at;
}
