/** Joiner between the parts of one emoji, which would fall apart without it. */
const emojiJoiner = '(?<=\\p{Extended_Pictographic}[\\ufe0f\\p{Emoji_Modifier}]?)\\u200d(?=\\p{Extended_Pictographic})';

/** Returns the source of an expression for a character of a class, unless it joins the parts of an emoji. */
export function notJoining(characters: string): string {
  return `(?!${emojiJoiner})[${characters}]`;
}

/** Control, format (bidirectional marks too), surrogate and unassigned characters, and the separators of lines. */
const unprintable = new RegExp(`(?:${notJoining('\\p{C}\\p{Zl}\\p{Zp}')})+`, 'gu');

/** Returns text from anywhere as one line that cannot move the cursor, change colours or change the direction of the following text. */
export function printable(text: string): string {
  return text.search(unprintable) === -1 ? text : text.replace(unprintable, ' ');
}

/**
 * Formats a message of several lines: each is printable, and all but the first are indented. A text from outside that contains
 * line breaks cannot begin a line that looks like one of chat-load's own.
 */
export function printableLines(text: string): string {
  const [first = '', ...others] = text.split('\n').map(printable);
  return [first, ...others.map((line) => (/^(?: {2}|$)/.test(line) ? line : `  ${line}`))].join('\n');
}

/** Returns a JSON document of the same shape in which every text is printable, including keys. */
export function printableTexts<Json>(document: Json): Json {
  return mapTexts(document, printable, printable);
}

/** Returns a copy of a JSON document with every text replaced; by default, keys stay. */
export function mapTexts<Json>(document: Json, map: (text: string) => string, mapKey = (key: string) => key): Json {
  const copy = (value: unknown): unknown => {
    if (typeof value === 'string') return map(value);
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [mapKey(key), copy(field)]));
  };
  return copy(document) as Json;
}

/** Characters that JSON text may contain raw, and that a terminal or an editor may interpret. */
const rawInJson = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns the JSON text of a document with such characters escaped: the same document to every JSON parser. */
export function printableJson(document: unknown, indent?: number): string {
  return JSON.stringify(document, null, indent).replace(rawInJson, escape);
}

const escape = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
