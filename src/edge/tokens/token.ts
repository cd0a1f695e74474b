import { excerpt } from '../../base/excerpt.ts';
import { printable } from '../../base/printable.ts';
import { parseJson } from '../../base/json.ts';
import { isObject } from '../../base/is-object.ts';

/** A token that authorizes requests. */
export interface Token {
  readonly value: string;
  /** By the wall clock, in milliseconds since 1970; `undefined`: it is not known. */
  readonly endsAt: number | undefined;
}

/** Obtains a token. Rejects with `TokenFailure` where there is none. Once the signal is aborted, nobody wants it any more. */
export type ObtainToken = (unwanted: AbortSignal) => Promise<Token>;

/** What obtaining a token takes, whatever it comes from. */
export interface Obtaining {
  /** How long it may take. */
  limitMs: number;
  /** Takes secrets out of what somebody says who gives none. */
  redact: (text: string) => string;
  /** The wall clock, for tokens that say how long they live. */
  wallNow: () => number;
}

const maxTextLength = 300;

/** What somebody says who gives no token, as it may be shown. */
export function shownBy(text: string, { redact }: Obtaining): string {
  return excerpt(text, (whole) => printable(redact(whole)), maxTextLength);
}

/** Why no token could be had, in words that hold none. */
export class TokenFailure extends Error {
  override readonly name = 'TokenFailure';
}

/** More is no token, and no server takes it in a head. */
const maxCharacters = 16 * 1024;

/** A token from what was given: its value, and when it ends; where nothing says that, as the token says itself. Throws `TokenFailure`. */
export function readToken(value: unknown, endsAt: number | undefined, what: string): Token {
  if (typeof value !== 'string')
    throw new TokenFailure(`${what} gave ${value === undefined ? 'no token' : `a token of type ${typeof value}`}`);
  if (value === '') throw new TokenFailure(`${what} gave an empty token`);
  if (value.length > maxCharacters)
    throw new TokenFailure(
      `${what} gave ${String(value.length)} characters: a token has at most ${String(maxCharacters)}`,
    );
  if (!/^[\x21-\x7e]+$/.test(value)) throw new TokenFailure(`${what} gave a token with ${faultOf(value)}`);
  return { value, endsAt: endsAt ?? jwtEnd(value) };
}

function faultOf(value: string): string {
  if (/[\r\n]/.test(value)) return 'a line break';
  return value.includes(' ') ? 'a space' : 'a character that an HTTP header cannot carry';
}

/** When something ends, as a person or a program says it: a date, its text, or milliseconds since 1970. Throws `TokenFailure`. */
export function readEnd(given: unknown, what: string): number | undefined {
  if (given === undefined || given === null) return undefined;
  const at = given instanceof Date ? given.getTime() : typeof given === 'string' ? Date.parse(given) : given;
  if (typeof at === 'number' && Number.isFinite(at)) return at;
  throw new TokenFailure(`${what} gave an expiresAt that is no date, no ISO 8601 text and no number of milliseconds`);
}

/** The `exp` of a JWT (RFC 7519), which is not verified: whether it is valid is for the service to say. */
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

/** What was promised, or a `TokenFailure` when it does not come in time, or is not wanted any more. */
export async function within<Made>({ what, limitMs, unwanted }: Waiting, promised: Promise<Made>): Promise<Made> {
  const over = new AbortController();
  const late = new Promise<never>((_, reject) => {
    const fail = (why: string): void => reject(new TokenFailure(`${what} ${why}`));
    const timer = setTimeout(() => fail(`did not answer within ${String(limitMs / 1000)} s`), limitMs);
    over.signal.addEventListener('abort', () => clearTimeout(timer));
    unwanted.addEventListener('abort', () => fail('was not wanted any more'), { signal: over.signal });
  });
  try {
    return await Promise.race([promised, late]);
  } finally {
    over.abort();
  }
}
