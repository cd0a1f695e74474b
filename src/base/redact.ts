const keyMark = '[API key]';

/** A shorter key is not secret: redacting it in whole documents would redact other words too. */
export const leastSecret = 8;

/** An even shorter key is searched for only where it is a value: it is part of too many words. */
const leastPart = 4;

/** Shorter forms occur by chance, and reveal little of a key. */
const leastForm = 8;

/**
 * Redacts a key in texts: as it is, in capitals or small letters, and as it looks in JSON, URLs, HTML and base64, at any
 * place within the encoded text. An empty key redacts nothing.
 */
export function redactorOf(key: string, mark = keyMark): (text: string) => string {
  if (key === '') return (text) => text;
  // Earlier redactions stay unchanged: a short key may be part of the mark.
  const escaped = key.length < leastForm ? [] : [escapedExpression(key)];
  const found = new RegExp(
    [escapeExpression(mark), ...escaped, ...formsOf(key).map(expressionOf)].join('|'),
    key.length < leastForm ? 'g' : 'gi',
  );
  return (text) => text.replace(found, mark);
}

/** A value: the whole text, what is quoted, what follows `Bearer`, a colon or an equals sign. */
const expressionOf = (form: string): string => {
  const text = escapeExpression(form);
  const value = `(?<=["'\`=]|: ?|Bearer )${text}(?=$|["'\`,;&\\s}])`;
  return form.length >= leastPart ? text : `^${text}$|${value}`;
};

/** The key with any of its characters escaped as JSON, HTML and URLs may: `\\/`, `\\u002b`, `&#43;`, `&#x2b;`, `%2b`. */
function escapedExpression(key: string): string {
  const characters = Array.from(key, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    const forms = [`\\\\?${escapeExpression(character)}`, `&#${String(code)};?`, `&#x0*${hex};?`];
    const percent = encodeURIComponent(character);
    return `(?:${[...forms, `\\\\u${hex.padStart(4, '0')}`, percent.startsWith('%') ? percent : `%${hex}`].join('|')})`;
  });
  return characters.join('');
}

/** A key as it is and as encoded texts hold it. The longest first: one form may be a part of another. */
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
    Buffer.from(key).toString('hex'),
    Buffer.from(key).toString('hex').toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => base64At(key, offset)),
  ];
  const long = encoded.filter((form) => form.length >= leastForm);
  return [...new Set([key, ...long])].sort((a, b) => b.length - a.length);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * The part of the base64 text that does not depend on what surrounds the key, at this offset in a group of three bytes.
 */
function base64At(key: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(key)]);
  const whole = [bytes.toString('base64'), bytes.toString('base64url')];
  return whole.map((text) => text.slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)));
}

const escapeExpression = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** A JSON document of which every text went through `redact`; keys stay. */
export function redactTexts<Json>(document: Json, redact: (text: string) => string): Json {
  const copy = (value: unknown): unknown => {
    if (typeof value === 'string') return redact(value);
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, copy(field)]));
  };
  return copy(document) as Json;
}
