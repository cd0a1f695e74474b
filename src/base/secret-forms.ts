import { DecodedText, type Reading } from './decoded-text.ts';
import { Effort } from './effort.ts';
import { hashesOf, TailHashes } from './text-hash.ts';

/** Minimum length of a form: shorter ones occur by chance, and reveal little of a secret. */
export const minFormLength = 8;

/** Minimum number of characters of a secret of eight or more whose own escapes are decoded. */
export const fewCharacters = 4;

/** Minimum number of characters of a secret that is found with any spaces in it: a shorter one may be words. */
const minJoined = 16;

/** Number of characters of a form that are kept: to compare them with the end of a text. */
export const maxBeginning = 64;

/** A form of a secret in texts that are read in some way. */
export interface Form {
  readonly reading: Reading;
  readonly mark: string;
  /** Number of characters. */
  readonly length: number;
  /** Number of characters by which it is found. */
  readonly window: number;
  /** Half of the hash of these characters. */
  readonly start: number;
  readonly hash: number;
  /** First 64 characters. */
  readonly beginning: string;
  /** Hashes of its first 128, 256, ... characters. */
  readonly beginnings: readonly number[];
  /** Minimum length of its place in a text: an encoded secret is not shorter than the secret. */
  readonly minSpan: number;
  /** Further characters of the secret, which may look like the beginning of an escape that ends in the text after it. */
  readonly open: string;
  /** Number of secrets with this form. */
  count: number;
  /** Set for settled secrets, whose endings are found too. */
  tails: TailHashes | undefined;
}

/** A part of a text that is replaced by a mark. */
export interface Span {
  start: number;
  end: number;
  mark: string;
}

/** Maximum length of an escape that is open at the end of a text. */
export const maxEscape = 48;

/** An escape without its end. */
export const openEscape =
  /(?:\\+(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?|%(?:25)*[0-9a-f]?|&(?:amp;)*(?:#(?:x?[0-9a-f]*)|[a-z]*))$/i;

/** Returns all forms of a secret of at least eight characters. */
export function searchedForms(secret: string, mark: string, isSettled: boolean): Form[] {
  const forms: Form[] = [];
  const add = (reading: Reading, characters: Characters, { minSpan = 0, open = '' } = {}): void => {
    const window = reading === 'plain' && characters.length < minFormLength ? fewCharacters : minFormLength;
    if (characters.length >= window)
      forms.push(formOf(characters, { reading, mark, window, minSpan, open, isSettled }));
  };
  const plain = decode(secret);
  const closed = withoutOpenEscapes(secret);
  // A service may wrap a secret in any way, and its text is shown on one line.
  const reading = decode(secret, 'joined').length < minJoined ? 'plain' : 'joined';
  // Skipped characters are skipped in the secret, too.
  const minSpan = closed.replaceAll(reading === 'joined' ? /[\s\p{C}]/gu : /[\r\n][\t\r\n ]*/g, '').length;
  add(reading, decode(secret, reading), { minSpan, open: /\\*$/.exec(secret.slice(-maxEscape))?.[0] });
  if (closed !== secret)
    add(reading, decode(closed, reading), { minSpan, open: secret.slice(closed.length).toLowerCase() });
  // Nearly all of a secret may be escapes: it is also searched as it is.
  if (plain.length < minFormLength) for (const form of [secret, ...textForms(secret)]) add('raw', decode(form, 'raw'));
  for (const offset of [0, 1, 2])
    add('base64', codesOf(base64At(secret, offset).replaceAll('-', '+').replaceAll('_', '/').toLowerCase()));
  const digits = Buffer.from(secret).toString('hex');
  add('hex', codesOf(digits));
  // With an `x` after it, a zero looks like `0x`.
  if (digits.endsWith('0')) add('hex', codesOf(digits.slice(0, -1)), { open: '0' });
  return forms;
}

interface FormTraits extends Pick<Form, 'reading' | 'mark' | 'window' | 'minSpan' | 'open'> {
  isSettled: boolean;
}

function formOf(characters: Characters, { isSettled, reading, mark, window, minSpan, open }: FormTraits): Form {
  const { length } = characters;
  const { half: start, whole: hash, beginnings } = hashesOf(characters, window);
  const beginning =
    characters instanceof Int32Array
      ? String.fromCodePoint(...characters.subarray(0, maxBeginning))
      : characters.toString('latin1', 0, maxBeginning);
  const tails = isSettled ? tailsOf(characters) : undefined;
  return { reading, mark, window, minSpan, open, length, start, hash, beginning, beginnings, tails, count: 0 };
}

/** Code points, or codes of ASCII characters. */
type Characters = Int32Array | Buffer;

function tailsOf(characters: Characters): TailHashes {
  const tails = new TailHashes(characters.length + 1);
  for (let at = characters.length - 1; at >= 0; at--) tails.prepend(at, characters[at] ?? 0, at + 1);
  return tails;
}

/** Returns the characters of a secret in a text that is read in a way. */
const decode = (secret: string, reading: Reading = 'plain'): Characters =>
  (reading === 'joined' ? /[^\x21-\x7e]|[\\%&]/ : /[^\x20-\x7e]|[\\%&]/).test(secret)
    ? new DecodedText(secret, reading, new Effort(secret.length)).characters()
    : codesOf(secret.toLowerCase());

/** Returns the part of a secret before its last characters that may be the beginning of an escape. */
function withoutOpenEscapes(secret: string): string {
  for (let rest = secret; ;) {
    const [open = ''] = openEscape.exec(rest.slice(-maxEscape)) ?? [];
    if (open === '' || secret.length - rest.length > maxEscape) return rest;
    rest = rest.slice(0, -open.length);
  }
}

/** Returns the codes of an ASCII text. */
const codesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Returns the forms of a key in plain and encoded texts, the longest first, because one form may be a part of another. */
export function formsOf(key: string): string[] {
  const hex = Buffer.from(key).toString('hex');
  const encoded = [0, 1, 2].flatMap((offset) => [base64At(key, offset), base64At(key, offset, 'base64url')]);
  const forms = [...textForms(key), hex, hex.toUpperCase(), ...encoded];
  const long = forms.filter((form) => form.length >= minFormLength);
  return [...new Set([key, ...long])].sort((a, b) => b.length - a.length);
}

/** Returns the forms of a key in JSON, URLs and HTML. */
function textForms(key: string): string[] {
  // Halves of characters cannot be encoded.
  const percent = encodeURIComponent(Buffer.from(key).toString());
  const bytewise = Array.from(Buffer.from(key), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return [
    JSON.stringify(key).slice(1, -1),
    percent,
    percent.replace(/%../g, (code) => code.toLowerCase()),
    bytewise,
    bytewise.toUpperCase(),
    key.replace(/[&<>"']/g, (character) => entities[character] ?? character),
  ];
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Returns the part of the base64 text that does not depend on the text around the key, at this offset in a group of three bytes. */
function base64At(key: string, offset: number, alphabet: 'base64' | 'base64url' = 'base64'): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(key)]);
  return bytes.toString(alphabet).slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
}
