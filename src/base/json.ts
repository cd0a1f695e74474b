import { isObject } from './is-object.ts';

/** Returns the JSON text of a value; `undefined` for values without a JSON form, such as functions (`JSON.stringify` lacks that in its type). */
export function jsonText(value: unknown): string | undefined {
  return JSON.stringify(value);
}

/** Returns the text of a JSON value written by others; `undefined` if it is nested more deeply than `parseJson` allows. */
export function shallowText(value: unknown): string | undefined {
  return isShallow(value) ? JSON.stringify(value) : undefined;
}

/** Serializes a value for sending: throws on a number that JSON would turn into `null`. */
export function sendableText(value: unknown): string | undefined {
  return JSON.stringify(value, refuseUnsendable);
}

/** Reports whether a value is a number without a JSON form. */
export function isUnsendable(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}

function refuseUnsendable(_key: string, value: unknown): unknown {
  if (isUnsendable(value)) throw new TypeError(`${String(value)} cannot be sent as JSON`);
  return value;
}

/** Deeper than any document or reply, so that code that walks a parsed value may be recursive. */
const maxDepth = 200;

/**
 * Parses JSON written by others. Throws `SyntaxError` for text that is not JSON or is nested more than 200 levels deep:
 * the parser accepts any depth, but code that walks or writes the value would overflow the stack.
 */
export function parseJson(text: string): unknown {
  if (isDeep(text)) throw new SyntaxError(`nested more than ${String(maxDepth)} levels deep`);
  return JSON.parse(text);
}

/** Returns the object of a JSON text written by others; `undefined` if it is not one. */
export function jsonObjectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reports whether an already parsed value is nested no more deeply than `parseJson` allows. */
export function isShallow(value: unknown, levels = maxDepth): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((item) => isShallow(item, levels - 1));
}

/** Counts brackets outside of strings, most of whose characters are skipped. */
function isDeep(text: string): boolean {
  // Each level takes two characters.
  if (text.length < 2 * maxDepth) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openBracket || code === openBrace) {
      if (++depth > maxDepth) return true;
    } else if (code === closeBracket || code === closeBrace) depth--;
  }
  return false;
}

/** Returns the index of the quote that ends the string that begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
