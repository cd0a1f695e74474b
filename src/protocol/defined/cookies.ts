import type { HeaderFields } from '../protocol.ts';

/** The text of a `Cookie` field with newly set cookies, which replace those of the same name. Their attributes are not looked at. */
export function mergeCookies(kept: string, headers: HeaderFields | undefined): string {
  const set = headers?.['set-cookie'] ?? '';
  if (set === '' || set === kept) return kept;
  const pairs = [kept, set].filter((text) => text !== '').flatMap((text) => text.split('; '));
  return [...new Map(pairs.map((pair) => [pair.split('=', 1)[0], pair])).values()].join('; ');
}
