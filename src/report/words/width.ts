import stringWidth from 'string-width';
import { printable } from '../../base/printable.ts';

const graphemes = new Intl.Segmenter();

/** Returns the width of a text in terminal columns, without colours: two for wide characters and emoji, none for combining marks. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Splits a text into grapheme clusters. */
export function charactersOf(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** Truncates a text without colours to `width` columns, with an ellipsis at its end. */
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

/**
 * Wraps the lines of a text that are wider than `width` columns, colours included; their further lines are indented. Words
 * stay whole, so that paths and URLs can be copied.
 */
export function wrapLines(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => {
      if (widthOf(line) <= width) return line;
      const words = line.trimStart();
      const indent = ' '.repeat(line.length - words.length);
      return indent + wrap(words, Math.max(20, width - indent.length - 2)).join(`\n${indent}  `);
    })
    .join('\n');
}

/** Reduces a text to one line of at most `maxWidth` columns, without control characters. */
export function oneLine(text: string, maxWidth = 120): string {
  return cut(printable(text).trim(), maxWidth);
}
