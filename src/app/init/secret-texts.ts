import { isCredential } from '../../base/header-field.ts';
import type { JsonPath } from './find-places.ts';

/** Reports whether a value of a body looks like a secret, by its place or its form. */
export function isSecretAt(path: JsonPath, value: unknown): boolean {
  if (typeof value !== 'string' || value === '') return false;
  const isBelow = path.some((key) => /^(?:auth|credentials?|secrets|tokens|api_?keys)$/i.test(String(key)));
  return isBelow || isSecretField(path.findLast((key) => typeof key === 'string') ?? '', value);
}

const isSecretField = (name: string, value: string): boolean =>
  secretField.test(name) || isSecretText(value) || (codeField.test(name) && /^(?=.*\d)[\w+/=.~-]{6,}$/.test(value));

/** Names of fields in bodies, where `max_tokens` and `keywords` are not secret. */
const secretField =
  /(?:api|access|secret|private|auth|bearer)[_-]?key$|passw(?:or)?d|passphrase|secret$|token$|^authorization$|credential|jwt|cookie|csrf|xsrf|^(?:pass|pwd|pin|otp|sig|signature|bearer|access)$|[_-](?:pass|pwd|pin|otp)$/i;

/** Further names, whose values are secret if they look like a code: six characters or more, with a digit. */
const codeField = /(?:^|[_-])code$|hash$|hmac$|sig$|signature$|digest$|^ticket$/i;

/** Further names in queries, whose values are codes there. */
const secretParameter = /^(?:code|hash|licen[cs]e|session|access)$/i;

/** Reports whether a parameter of a query looks like a secret. */
export function isSecretParameter(name: string, value: string): boolean {
  return isCredential(name) || secretParameter.test(name) || isSecretText(value) || isRandom(value);
}

/** Reports whether a text has the form of a known kind of key or token. */
export function isSecretText(text: string): boolean {
  return (
    /:\/\/[^/\s:@]*:[^/\s@]+@|\bsk-(?:proj-|ant-)?[\w-]{20,}|hooks\.slack\.com\/services\//.test(text) ||
    /^(?:(?:Bearer|Basic) |sk-|rk_|[sp]k_(?:live|test)_|gh[pousr]_|github_pat_|xox[a-z]-|AIza|AKIA|ya29\.|glpat-|hf_\w{20}|eyJ[\w-]+\.)/.test(
      text,
    )
  );
}

/** Reports whether a text looks generated: long, without spaces, with letters of both cases and digits. */
export function isRandom(text: string): boolean {
  return (
    /^[\w+/=.~-]{20,}$/.test(text) &&
    [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(text)) &&
    !/^[\w-]+[/ ]\d/.test(text)
  );
}

/** Reports whether a part of a path is a token: a bot's number with its token, or many hexadecimal digits. */
export function isTokenPart(text: string): boolean {
  return /^(?:bot)?\d{6,}(?::|%3A)[\w-]{20,}$|^[0-9a-f]{40,}$/i.test(text);
}
