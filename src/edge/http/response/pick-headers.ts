import type { HeaderFields } from '../../../protocol/protocol.ts';
import type { ResponseHead } from './response-head.ts';

/** Of the header fields of a response those that are wanted, by their names in lower case; of `set-cookie` the pairs, as a `Cookie` field takes them. */
export function pickHeaders({ headers }: ResponseHead, wanted: readonly string[]): HeaderFields {
  const picked: Record<string, string> = {};
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    if (!wanted.includes(name)) continue;
    if (name !== 'set-cookie') picked[name] ??= value;
    else if (isPair(pairOf(value))) picked[name] = [picked[name] ?? [], pairOf(value)].flat().join('; ');
  }
  return picked;
}

const pairOf = (cookie: string): string => cookie.split(';', 1)[0]?.trim() ?? '';

/** What a header field may carry: a server must not write our requests. */
const isPair = (pair: string): boolean => /^[\x21-\x7e]+$/.test(pair);
