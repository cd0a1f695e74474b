import { printable } from '../../base/printable.ts';
import { charactersOf, widthOf, wrap } from './width.ts';

/** How a paragraph is set. */
interface Setting {
  width: number;
  /** The text before the first line, in colours if enabled; the other lines are indented as far, by two columns without it. */
  first?: string;
  paint?: (line: string) => string;
}

/**
 * A text from anywhere as lines that stay within the width: without control characters, which could move the cursor or
 * change colours, and with words broken that are longer than a line.
 */
export function paragraph(text: string, { width, first = '', paint = (line) => line }: Setting): string {
  // No other line starts at the margin: words of a foreign text there could pass for lines of the report.
  const indent = widthOf(first) || 2;
  const room = Math.max(8, width - indent);
  const words = clean(text).replace(/\S+/gu, (word) => breakWord(word, room));
  return wrap(words.replace(beforeUnit, bound), room)
    .map((line) => line.replaceAll(bound, ' '))
    .map((line, index) => (index === 0 ? first : ' '.repeat(indent)) + paint(line))
    .join('\n');
}

/** The space between a number and its unit, at which no line ends. */
const beforeUnit = /(?<=(?:^|[ (])[+−]?[\d.,]{1,8}) (?=(?:%|pp|ms|s|µs)(?![\p{L}\d]))/gu;
const bound = '\u00a0';

/** Without control characters and with single spaces. */
export function clean(text: string): string {
  return printable(text).replace(/\s+/gu, ' ').trim();
}

/** Parts of a word, a space between them, that take up no more than `room` columns each. */
export function breakWord(word: string, room: number): string {
  if (widthOf(word) <= room) return word;
  let taken = 0;
  let broken = '';
  for (const character of charactersOf(word)) {
    const width = widthOf(character);
    const isFull = taken + width > room;
    broken += isFull ? ` ${character}` : character;
    taken = isFull ? width : taken + width;
  }
  return broken;
}
