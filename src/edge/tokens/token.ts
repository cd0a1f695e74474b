import { excerpt } from '../../base/excerpt.ts';
import { printable } from '../../base/printable.ts';
import { parseJson } from '../../base/json.ts';
import { isObject } from '../../base/is-object.ts';

/** A token that authorizes requests. */
export interface Token {
  readonly value: string;
  /** In milliseconds since 1970, by the wall clock; `undefined`: not known. */
  readonly endsAt: number | undefined;
}

/** Obtains a token. Rejects with `TokenFailure` if there is none. The signal is aborted when the token is no longer needed. */
export type ObtainToken = (unwanted: AbortSignal) => Promise<Token>;

/** Settings of all sources of tokens. */
export interface Obtaining {
  limitMs: number;
  /** Removes secrets from the messages of a failing source. */
  redact: (text: string) => string;
  /** The wall clock, for tokens with a lifetime. */
  wallNow: () => number;
}

const maxTextLength = 300;

/** Formats the message of a failing source so that it is safe to show. */
export function shownBy(text: string, { redact }: Obtaining): string {
  return excerpt(text, (whole) => printable(redact(whole)), maxTextLength);
}

/** Failure to obtain a token; its message contains none. */
export class TokenFailure extends Error {
  override readonly name = 'TokenFailure';
}

/** Servers do not accept a longer head. */
const maxCharacters = 16 * 1024;

/** Reads a token from its value and its end, which defaults to the `exp` of a JWT. Throws `TokenFailure`. */
export function readToken(value: unknown, endsAt: number | undefined, what: string): Token {
  if (typeof value !== 'string')
    throw new TokenFailure(`${what} returned ${value === undefined ? 'no token' : `a token of type ${typeof value}`}`);
  if (value === '') throw new TokenFailure(`${what} returned an empty token`);
  if (value.length > maxCharacters)
    throw new TokenFailure(
      `${what} returned ${String(value.length)} characters: a token has at most ${String(maxCharacters)}`,
    );
  if (!/^[\x21-\x7e]+$/.test(value)) throw new TokenFailure(`${what} returned a token with ${faultOf(value)}`);
  return { value, endsAt: endsAt ?? jwtEnd(value) };
}

function faultOf(value: string): string {
  if (/[\r\n]/.test(value)) return 'a line break';
  return value.includes(' ') ? 'a space' : 'a character that an HTTP header cannot carry';
}

/** Reads an end: a date, its text, or milliseconds since 1970. Throws `TokenFailure`. */
export function readEnd(given: unknown, what: string): number | undefined {
  if (given === undefined || given === null) return undefined;
  const at = given instanceof Date ? given.getTime() : typeof given === 'string' ? Date.parse(given) : given;
  if (typeof at === 'number' && Number.isFinite(at)) return at;
  throw new TokenFailure(
    `${what} returned an expiresAt that is not a date, an ISO 8601 text or a number of milliseconds`,
  );
}

/** Returns the `exp` of a JWT (RFC 7519), which is not verified: that is up to the service. */
function jwtEnd(value: string): number | undefined {
  const [, payload, , ...more] = value.split('.');
  if (payload === undefined || more.length > 0) return undefined;
  try {
    const claims: unknown = parseJson(Buffer.from(payload, 'base64url').toString());
    const exp = isObject(claims) ? claims['exp'] : undefined;
    return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

interface Waiting {
  what: string;
  limitMs: number;
  unwanted: AbortSignal;
}

/** Resolves with the promised value; rejects with a `TokenFailure` after its time limit, or when it is no longer needed. */
export async function within<Made>({ what, limitMs, unwanted }: Waiting, promised: Promise<Made>): Promise<Made> {
  const over = new AbortController();
  const late = new Promise<never>((_, reject) => {
    const fail = (why: string): void => reject(new TokenFailure(`${what} ${why}`));
    const timer = setTimeout(() => fail(`did not answer within ${String(limitMs / 1000)} s`), limitMs);
    over.signal.addEventListener('abort', () => clearTimeout(timer));
    unwanted.addEventListener('abort', () => fail('was cancelled'), { signal: over.signal });
  });
  try {
    return await Promise.race([promised, late]);
  } finally {
    over.abort();
  }
}
