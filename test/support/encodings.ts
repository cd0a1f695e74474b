import { randomOf } from '../../src/base/random.ts';

/** Characters that some form of text has to escape. */
const special = '+"\\/%41<x>&=.';
/** Special characters that a cookie may contain. */
const inCookies = '+/%41<x>&=.';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export type Place = 'beginning' | 'middle' | 'end';

/** Returns a key without repetitions, with special characters at a place; `seed` makes it another one. */
export function keyOf(length: number, place: Place, { seed = length, isCookie = false } = {}): string {
  const random = randomOf(seed);
  const escaped = isCookie ? inCookies : special;
  const plain = Array.from({ length: length - escaped.length }, () => alphabet[Math.floor(random() * 62)]).join('');
  const at = { beginning: 0, middle: Math.floor(plain.length / 2), end: plain.length }[place];
  return plain.slice(0, at) + escaped + plain.slice(at);
}

const lines = (text: string, by: string): string => text.match(/.{1,76}/g)?.join(by) ?? '';
const folded = (text: string, by: string): string => text.match(/.{1,30}/g)?.join(by) ?? '';
const hex = (key: string): string => Buffer.from(key).toString('hex');
const pairs = (key: string): string[] => hex(key).match(/../g) ?? [];
export function inJson(key: string): string {
  return JSON.stringify(key).slice(1, -1);
}

const each = (key: string, spell: (code: number) => string): string =>
  Array.from(key, (character) => spell(character.charCodeAt(0))).join('');

/** Every encoding that SECURITY.md names. Written independently of the code that removes them. */
export const encodings: Readonly<Record<string, (key: string) => string>> = {
  'as it is': (key) => key,
  'in capitals': (key) => key.toUpperCase(),
  'over lines': (key) => folded(key, '\r\n '),
  'over indented lines': (key) => folded(key, '\n\t  '),
  'over lines within JSON': (key) => inJson(folded(key, '\n')),
  'over lines within JSON, twice': (key) => inJson(inJson(folded(key, '\r\n '))),
  'over lines shown as one': (key) => folded(key, ' '),
  'between tabs and form feeds': (key) => folded(key, '\f\t'),
  'between invisible characters': (key) => folded(key, '\u00a0\u00ad'),
  'over lines within a URL': (key) => encodeURIComponent(folded(key, '\r\n')),
  'in JSON': inJson,
  'in JSON, three times': (key) => inJson(inJson(inJson(key))),
  'in JSON, all characters': (key) => each(key, (code) => `\\u${code.toString(16).padStart(4, '0')}`),
  'in a URL': encodeURIComponent,
  'in a URL, three times': (key) => encodeURIComponent(encodeURIComponent(encodeURIComponent(key))),
  'in a URL, all bytes': (key) => each(key, (code) => `%${code.toString(16)}`),
  'in HTML': (key) =>
    key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  'in HTML, by number': (key) => each(key, (code) => `&#${String(code)};`),
  'in HTML, by hexadecimal number': (key) => each(key, (code) => `&#x0${code.toString(16)};`),
  'in a URL within JSON': (key) => inJson(encodeURIComponent(inJson(key))),
  'in hexadecimal': hex,
  'in hexadecimal capitals': (key) => hex(key).toUpperCase(),
  'in hexadecimal with spaces': (key) => pairs(key).join(' '),
  'in hexadecimal with colons': (key) => pairs(key).join(':'),
  'in hexadecimal with commas and 0x': (key) => pairs(key).join(', 0x'),
  'in hexadecimal with hyphens': (key) => pairs(key).join('-'),
  'in hexadecimal with \\x': (key) => pairs(key).join('\\x'),
  'in base64': (key) => Buffer.from(key).toString('base64'),
  'in base64 after one byte': (key) => Buffer.from(`:${key}`).toString('base64'),
  'in base64 after two bytes': (key) => Buffer.from(`u:${key}`).toString('base64'),
  'in base64 for URLs': (key) => Buffer.from(`user:${key}:x`).toString('base64url'),
  'in base64 over lines': (key) => lines(Buffer.from(key).toString('base64'), '\r\n  '),
  'in base64 over lines within JSON': (key) => lines(Buffer.from(key).toString('base64'), '\\n'),
  'in base64 within a URL': (key) => encodeURIComponent(Buffer.from(key).toString('base64')),
};
