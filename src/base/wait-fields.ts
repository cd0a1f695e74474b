/** Field in which services of OpenAI state a wait in milliseconds, besides `Retry-After`. */
export const retryAfterMs = 'retry-after-ms';

/**
 * Reports whether a field, its name in lower case, is about the wait after a refusal, besides `Retry-After` itself: the wait
 * in milliseconds, the reset of a limit, the rest of such a limit, all limits, or a field of another service with such a name.
 */
export function isWaitField(name: string): boolean {
  if (name.length <= minLength) return name === rateLimit;
  return name.length <= maxLength && pattern.test(name);
}

/** Field with all limits of a service, of a draft of the IETF (draft-ietf-httpapi-ratelimit-headers). */
export const rateLimit = 'ratelimit';

/** Length of `retry-after`. */
const minLength = 11;
const maxLength = 80;
const pattern = /retry-?after|rate-?limit[a-z-]*-(?:reset|remaining)(?:-|$)/;

/** Picks these fields of a response; `undefined`: there are none. */
export function pickWaits(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> | undefined {
  let picked: Record<string, string> | undefined;
  for (const [given, value] of Object.entries(fields)) {
    const name = given.toLowerCase();
    if (!isWaitField(name) || (typeof value !== 'string' && typeof value !== 'number')) continue;
    picked ??= {};
    picked[name] ??= String(value);
  }
  return picked;
}
