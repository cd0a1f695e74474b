import type { ErrorClass } from './outcome.ts';

/** Class of an attempt whose socket was closed before the end of the reply. */
export type CloseClass = ErrorClass | 'connection_lost' | 'truncated';

/** Classes by close code. 1000, 1001 and 1005 (no code) depend on the received part of the reply. */
const classes: Readonly<Record<number, CloseClass>> = {
  1006: 'connection_lost',
  1007: 'malformed',
  1008: 'forbidden',
  1011: 'internal_error',
  1012: 'server_error',
  1013: 'rate_limited',
  1014: 'server_error',
  4401: 'unauthorized',
  4403: 'forbidden',
  4429: 'rate_limited',
};

const ordinary = [1000, 1001, 1005];

/** Returns the class of a socket that was closed before the end of the reply. Other codes are errors without a class of their own. */
export function classOfClose(
  code: number,
  hasContent: boolean,
  own: Readonly<Record<number, CloseClass>> = {},
): CloseClass {
  if (own[code] !== undefined) return own[code];
  if (ordinary.includes(code)) return hasContent ? 'truncated' : 'connection_lost';
  return classes[code] ?? 'http_other';
}
