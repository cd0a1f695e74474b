import { keyMark, SecretIndex } from './secret-index.ts';
import { formsOf, minFormLength, searchedForms } from './secret-forms.ts';

/** A shorter key is not secret: redacting it in documents would redact other text too. */
export const minSecret = 8;

/** An even shorter key is only redacted as a whole value: it occurs in too much other text. */
const minPart = 4;

/** Replaces a text that could not be redacted. */
export const withheldText = '[text withheld: it could not be redacted]';

/**
 * Redacts a key in texts: as it is, in upper or lower case, with characters escaped as in JSON, URLs and HTML (in
 * several layers, too), and in base64 and hexadecimal, with separators and line breaks, at any place within the encoded
 * text. An empty key redacts nothing. Takes time linear in the length of the text, and does not depend on that of the key.
 */
export function redactorOf(key: string, mark = keyMark): (text: string) => string {
  if (key.length < minFormLength) return failSafe(shortRedactorOf(key, mark));
  const index = new SecretIndex();
  index.add(searchedForms(key, mark, true));
  return failSafe((text) => index.redact(text));
}

/** Redacts a key of fewer than eight characters: as it is, and in the encodings that make it longer. */
export function shortRedactorOf(key: string, mark = keyMark): (text: string) => string {
  if (key === '') return (text) => text;
  // Earlier redactions stay unchanged: a short key may be part of the mark.
  const found = new RegExp([escapeExpression(mark), ...formsOf(key).map(expressionOf)].join('|'), 'g');
  return (text) => text.replace(found, mark);
}

/** Returns a redactor that withholds a text if redacting it fails: a failure neither shows a text nor ends a run. */
export function failSafe(redact: (text: string) => string): (text: string) => string {
  return (text) => {
    try {
      return redact(text);
    } catch {
      return withheldText;
    }
  };
}

/** Returns an expression for a form of a key. A short form only matches as a value: as the whole text, quoted text, or text after `Bearer`, a colon or an equals sign. */
const expressionOf = (form: string): string => {
  const text = escapeExpression(form);
  const value = `(?<=["'\`=]|: ?|Bearer )${text}(?=$|["'\`,;&\\s}])`;
  return form.length >= minPart ? text : `^${text}$|${value}`;
};

const escapeExpression = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
