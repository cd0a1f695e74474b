/** Characters of a text that are already decoded, from some position to the end. */
export interface Decoded {
  readonly text: string;
  /**
   * Decoded character at each position: its code point in lower case; -1 at the end. For a character that is skipped it is
   * `skipped` minus the position of the next one that is not, so that a run of them is skipped in one step.
   */
  readonly letters: Int32Array;
  /** Position after each decoded character. */
  readonly next: Int32Array;
}

/** A character, and the position after the escape that stands for it. */
export interface Escape {
  code: number;
  end: number;
  /** True if it is a byte, which may be one of several of a character in UTF-8. */
  isByte: boolean;
}

export const backslash = 92;
const percent = 37;
const ampersand = 38;
const semicolon = 59;

/** Largest letter of skipped characters, such as line breaks: the position of the next character is subtracted from it. */
export const skipped = -2;

/** Reports whether a letter is that of a skipped character. */
export function isSkipped(letter: number | undefined): boolean {
  return letter !== undefined && letter <= skipped;
}

/** Reports whether escapes begin with a character. */
export function beginsEscapes(code: number): boolean {
  return code === backslash || code === percent || code === ampersand;
}

/** Maximum number of characters of a numeric or named entity. */
const maxEntity = 16;

/** Names of HTML entities in lower case. */
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  plus: '+',
  sol: '/',
  bsol: '\\',
  lowbar: '_',
  underbar: '_',
  hyphen: '-',
  dash: '-',
  equals: '=',
  colon: ':',
  semi: ';',
  period: '.',
  comma: ',',
  num: '#',
  percnt: '%',
  commat: '@',
  dollar: '$',
  excl: '!',
  quest: '?',
  ast: '*',
  midast: '*',
  verbar: '|',
  vert: '|',
  verticalline: '|',
  hat: '^',
  grave: '`',
  lpar: '(',
  rpar: ')',
  lsqb: '[',
  lbrack: '[',
  rsqb: ']',
  rbrack: ']',
  lcub: '{',
  lbrace: '{',
  rcub: '}',
  rbrace: '}',
};
const codes = new Map(Object.entries(entities).map(([name, text]) => [name, text.charCodeAt(0)]));

/** Reads `\u002b`, `\x2b`, `%2b`, `&#43;`, `&#x2b;` or `&plus;`, after its first character; its other characters may be escaped themselves. */
export function readEscape(decoded: Decoded, first: number, at: number): Escape | undefined {
  const { letters, next } = decoded;
  const place = firstRead(decoded, at);
  const letter = letters[place];
  const after = next[place] ?? place;
  if (first === percent) return readHex(decoded, at, 2);
  if (first === ampersand) return letter === 35 ? readNumber(decoded, after) : readName(decoded, at);
  if (letter === 117) return readHex(decoded, after, 4);
  return letter === 120 ? readHex(decoded, after, 2) : undefined;
}

/** Returns the first position from another one on whose character is not skipped. */
export function firstRead({ letters }: Decoded, at: number): number {
  const letter = letters[at];
  return letter !== undefined && letter <= skipped ? skipped - letter : at;
}

function readHex(decoded: Decoded, at: number, digits: number): Escape | undefined {
  const { letters, next } = decoded;
  let [code, end] = [0, at];
  for (let read = 0; read < digits; read++) {
    end = firstRead(decoded, end);
    const digit = hexDigit(letters[end] ?? 0);
    if (digit === -1) return undefined;
    code = code * 16 + digit;
    end = next[end] ?? end;
  }
  return { code, end, isByte: digits === 2 };
}

function readNumber(decoded: Decoded, at: number): Escape | undefined {
  const { letters, next } = decoded;
  const first = firstRead(decoded, at);
  const isHex = letters[first] === 120;
  const base = isHex ? 16 : 10;
  const start = isHex ? (next[first] ?? first) : first;
  let [code, end, place] = [0, start, firstRead(decoded, start)];
  let plain: Escape | undefined;
  for (let read = 0; read < maxEntity; read++) {
    const digit = hexDigit(letters[place] ?? 0);
    if (digit === -1 || digit >= base) break;
    // An escape after an entity without a semicolon is the next character, although that may be a digit.
    if (beginsEscapes(decoded.text.charCodeAt(place))) plain ??= { code, end, isByte: false };
    code = code * base + digit;
    end = next[place] ?? place;
    place = firstRead(decoded, end);
  }
  const isClosed = letters[place] === semicolon;
  if (!isClosed && plain !== undefined && plain.end > start) return plain;
  if (end === start || code > 0x10ffff) return undefined;
  return { code, end: isClosed ? (next[place] ?? place) : end, isByte: false };
}

function readName(decoded: Decoded, at: number): Escape | undefined {
  const { letters, next } = decoded;
  let [name, end] = ['', firstRead(decoded, at)];
  while (name.length < maxEntity && isLetter(letters[end] ?? 0)) {
    name += String.fromCharCode(letters[end] ?? 0);
    end = firstRead(decoded, next[end] ?? end);
  }
  const code = letters[end] === semicolon ? codes.get(name) : undefined;
  return code === undefined ? undefined : { code, end: next[end] ?? end, isByte: false };
}

/** Joins the bytes of a character in UTF-8, or the halves of one in UTF-16. */
export function joined(decoded: Decoded, { code, end, isByte }: Escape): Escape {
  const { letters, next } = decoded;
  if (code >= 0xd800 && code < 0xdc00) {
    const place = firstRead(decoded, end);
    const low = letters[place] ?? 0;
    if (low < 0xdc00 || low > 0xdfff) return { code, end, isByte };
    return { code: (code - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000, end: next[place] ?? place, isByte };
  }
  if (!isByte || code < 0xc2 || code > 0xf4) return { code, end, isByte };
  const others = code < 0xe0 ? 1 : code < 0xf0 ? 2 : 3;
  let [point, last] = [code & (0x3f >> others), end];
  for (let read = 0; read < others; read++) {
    last = firstRead(decoded, last);
    const byte = letters[last] ?? 0;
    if (byte < 0x80 || byte > 0xbf) return { code, end, isByte };
    point = point * 64 + (byte & 0x3f);
    last = next[last] ?? last;
  }
  return { code: point, end: last, isByte };
}

/** Returns a code point in lower case, if that is one, too. */
export function inLowerCase(code: number): number {
  if (code < 128) return code >= 65 && code <= 90 ? code + 32 : code;
  if ((code >= 0xd800 && code < 0xe000) || code > 0x10ffff) return code;
  const small = String.fromCodePoint(code).toLowerCase();
  const point = small.codePointAt(0) ?? code;
  return small.length === (point > 0xffff ? 2 : 1) ? point : code;
}

const isLetter = (code: number): boolean => code >= 97 && code <= 122;

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 97 && code <= 102 ? code - 87 : -1;
}
