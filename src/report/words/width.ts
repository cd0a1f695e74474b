import stringWidth from 'string-width';
import { printable } from '../../base/printable.ts';

const graphemes = new Intl.Segmenter();

/** How many columns of a terminal a text takes up, without its colours: wide characters and emoji two, combining marks none. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** The characters of a text as a reader sees them: an emoji of several parts, or a letter with its marks, is one. */
export function charactersOf(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** A text without colours that takes up no more than `width` columns; one that is cut ends with an ellipsis. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let taken = 1;
  for (const { segment: character } of graphemes.segment(text)) {
    taken += widthOf(character);
    if (taken > width) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Breaks a text between words into lines no wider than `width` columns; a longer word is on its own line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** A text from outside as one line of at most `longest` columns, without what could move the cursor or change colours. */
export function oneLine(text: string, longest = 120): string {
  return cut(printable(text).trim(), longest);
}
