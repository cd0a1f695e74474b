import { printable } from '../../base/printable.ts';
import { charactersOf, widthOf, wrap } from './width.ts';

interface Setting {
  width: number;
  /** Prefix of the first line, which may contain colours; other lines are indented by its width, or by two columns. */
  first?: string;
  paint?: (line: string) => string;
}

/**
 * Wraps a text of any origin to lines within the width: removes control characters, which could move the cursor or change
 * colours, and breaks words that are longer than a line.
 */
export function paragraph(text: string, { width, first = '', paint = (line) => line }: Setting): string {
  // Other lines never start at the margin, so that text of other origin cannot imitate lines of the report.
  const indent = widthOf(first) || 2;
  const room = Math.max(8, width - indent);
  const words = clean(text).replace(/\S+/gu, (word) => breakWord(word, room));
  return wrap(words.replace(beforeUnit, bound), room)
    .map((line) => line.replaceAll(bound, ' '))
    .map((line, index) => (index === 0 ? first : ' '.repeat(indent)) + paint(line))
    .join('\n');
}

/** Space between a number and its unit, which is not a line break. */
const beforeUnit = /(?<=(?:^|[ (])[+−]?[\d.,]{1,8}) (?=(?:%|pp|ms|s|µs)(?![\p{L}\d]))/gu;
const bound = '\u00a0';

/** Removes control characters and reduces white space to single spaces. */
export function clean(text: string): string {
  return printable(text).replace(/\s+/gu, ' ').trim();
}

/** Breaks a word by spaces into parts of at most `room` columns. */
export function breakWord(word: string, room: number): string {
  return breakText(word, room).join(' ');
}

/** Breaks a text into parts of at most `room` columns, regardless of words. */
export function breakText(text: string, room: number): string[] {
  if (widthOf(text) <= room) return [text];
  const parts: string[] = [];
  let part = '';
  let taken = 0;
  for (const character of charactersOf(text)) {
    const width = widthOf(character);
    if (taken + width > room) {
      parts.push(part);
      part = '';
      taken = 0;
    }
    part += character;
    taken += width;
  }
  return [...parts, part];
}
