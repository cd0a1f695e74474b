const keyMark = '[API key]';

/** A shorter key is not secret: redacting it in documents would redact other text too. */
export const minSecret = 8;

/** An even shorter key is only redacted as a whole value: it occurs in too much other text. */
const minPart = 4;

/** Shorter forms occur by chance, and reveal little of a key. */
const minFormLength = 8;

/**
 * Redacts a key in texts: as it is, in upper or lower case, with characters escaped as in JSON, URLs and HTML (in
 * several layers, too), and in base64 and hexadecimal, with separators and line breaks, at any place within the encoded
 * text. An empty key redacts nothing. Takes linear time.
 */
export function redactorOf(key: string, mark = keyMark): (text: string) => string {
  if (key === '') return (text) => text;
  // Earlier redactions stay unchanged: a short key may be part of the mark.
  const spelled = key.length < minFormLength ? [] : [spelledExpression(key), ...encodedExpressions(key)];
  const found = new RegExp(
    [escapeExpression(mark), ...spelled, ...formsOf(key).map(expressionOf)].join('|'),
    key.length < minFormLength ? 'g' : 'gi',
  );
  return (text) => text.replace(found, mark);
}

/** Returns an expression for a form of a key. A short form only matches as a value: as the whole text, quoted text, or text after `Bearer`, a colon or an equals sign. */
const expressionOf = (form: string): string => {
  const text = escapeExpression(form);
  const value = `(?<=["'\`=]|: ?|Bearer )${text}(?=$|["'\`,;&\\s}])`;
  return form.length >= minPart ? text : `^${text}$|${value}`;
};

/** Matches a text with any of its characters escaped (`\/`, `\u002b`, `\x2b`, `&#43;`, `&#x2b;`, `%2b`), up to eight times more (`%252b`). */
const spelledExpression = (text: string): string =>
  Array.from(text, (character, index) => spelledCharacter(character, index === 0 ? '\\\\' : '\\\\{1,8}')).join('');

/** Matches a character, escaped or not. `backslashes` precede it: a single one at the beginning, because a long run of them takes time at each position. */
function spelledCharacter(character: string, backslashes = '\\\\{1,8}'): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  const named = entities[character];
  const bytes = Array.from(Buffer.from(character), (byte) => `%(?:25){0,8}${byte.toString(16).padStart(2, '0')}`);
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return `(?:${[
    // Longer runs of backslashes could be divided among many of them, in exponential time.
    character === '\\' ? '\\\\{1,2}' : `(?:${backslashes})?${escapeExpression(character)}`,
    ...[...(named === undefined ? [] : [named.slice(1)]), ...(names[character] ?? [])].map(
      (name) => `&(?:amp;){0,8}${name}`,
    ),
    `&(?:amp;){0,8}#(?:0{0,8}${String(code)}|x0{0,8}${hex});?`,
    units.map((unit) => `${backslashes}u${unit}`).join(''),
    ...(code < 0x100 ? [`${backslashes}x${hex.padStart(2, '0')}`] : []),
    bytes.join(''),
  ].join('|')})`;
}

/** Returns expressions for base64 in either alphabet and for hexadecimal, with the separators of encoders and viewers. */
function encodedExpressions(key: string): string[] {
  const base64 = [0, 1, 2]
    .map((offset) => base64At(key, offset)[0] ?? '')
    .filter(({ length }) => length >= minFormLength);
  const bytes = Array.from(Buffer.from(key), (byte) => byte.toString(16).padStart(2, '0'));
  return [
    ...base64.map((text) => Array.from(text, base64Character).join(lineBreaks)),
    bytes.join('[\\s:,-]{0,4}(?:0x|\\\\{1,8}x)?'),
  ];
}

const base64Character = (character: string): string => {
  if (character === '+' || character === '-') return `(?:-|${spelledCharacter('+')})`;
  return character === '/' || character === '_' ? `(?:_|${spelledCharacter('/')})` : character;
};

/** Line breaks with indentation, also escaped as in JSON and URLs, and soft ones (`=` at the end of a line). */
const lineBreaks = '(?:=(?=\\s|\\\\)|\\s|\\\\{1,8}[nrt]|%(?:25){0,8}(?:0[ad]|20)){0,40}';

/**
 * Redacts parts of a key of eight or more characters at the edges of a text that was cut before it was received: the
 * beginning of the key at the end of the text, and its end at the beginning, next to quotes and dots too.
 */
export function edgeRedactorOf(key: string, mark = keyMark): (text: string) => string {
  const forms = formsOf(key).filter(({ length }) => length > minFormLength);
  return (text) => {
    const [opening = ''] = /^["'`\s.…([{]{0,8}/.exec(text) ?? [];
    const [closing = ''] = /["'`\s.…)\]}]{0,8}$/.exec(text.slice(-8)) ?? [];
    const inner = text.slice(opening.length, Math.max(opening.length, text.length - closing.length));
    const end = Math.max(0, ...forms.map((form) => partLength(form, (part) => inner.endsWith(form.slice(0, part)))));
    const start = Math.max(0, ...forms.map((form) => partLength(form, (part) => inner.startsWith(form.slice(-part)))));
    if (start + end === 0 || start + end > inner.length) return text;
    const between = inner.slice(start, inner.length - end);
    return `${opening}${start > 0 ? mark : ''}${between}${end > 0 ? mark : ''}${closing}`;
  };
}

/** Returns the length of the longest incomplete part of a form that satisfies a condition; 0 if none does. */
function partLength({ length }: string, holds: (part: number) => boolean): number {
  for (let part = length - 1; part >= minFormLength; part--) if (holds(part)) return part;
  return 0;
}

/** Returns the forms of a key in plain and encoded texts, the longest first, because one form may be a part of another. */
export function formsOf(key: string): string[] {
  const percent = encodeURIComponent(key);
  const bytewise = Array.from(Buffer.from(key), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const encoded = [
    JSON.stringify(key).slice(1, -1),
    percent,
    percent.replace(/%../g, (code) => code.toLowerCase()),
    bytewise,
    bytewise.toUpperCase(),
    key.replace(/[&<>"']/g, (character) => entities[character] ?? character),
    ...encodedFormsOf(key),
  ];
  const long = encoded.filter((form) => form.length >= minFormLength);
  return [...new Set([key, ...long])].sort((a, b) => b.length - a.length);
}

export function encodedFormsOf(key: string): string[] {
  const hex = Buffer.from(key).toString('hex');
  return [hex, hex.toUpperCase(), ...[0, 1, 2].flatMap((offset) => base64At(key, offset))];
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Further entities of HTML, without their ampersand. */
const names: Readonly<Record<string, readonly string[]>> = {
  "'": ['apos;'],
  '+': ['plus;'],
  '/': ['sol;'],
  '\\': ['bsol;'],
  _: ['lowbar;', 'UnderBar;'],
  '-': ['hyphen;', 'dash;'],
  '=': ['equals;'],
  ':': ['colon;'],
  ';': ['semi;'],
  '.': ['period;'],
  ',': ['comma;'],
  '#': ['num;'],
  '%': ['percnt;'],
  '@': ['commat;'],
  $: ['dollar;'],
  '!': ['excl;'],
  '?': ['quest;'],
  '*': ['ast;', 'midast;'],
  '|': ['verbar;', 'vert;', 'VerticalLine;'],
  '^': ['Hat;'],
  '`': ['grave;'],
  '(': ['lpar;'],
  ')': ['rpar;'],
  '[': ['lsqb;', 'lbrack;'],
  ']': ['rsqb;', 'rbrack;'],
  '{': ['lcub;', 'lbrace;'],
  '}': ['rcub;', 'rbrace;'],
};

/** Returns the part of the base64 text that does not depend on the text around the key, at this offset in a group of three bytes. */
function base64At(key: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(key)]);
  const whole = [bytes.toString('base64'), bytes.toString('base64url')];
  return whole.map((text) => text.slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)));
}

const escapeExpression = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
