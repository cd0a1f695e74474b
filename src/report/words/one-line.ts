import { printable } from '../../base/printable.ts';

/** A text from outside as one line without control characters, which could move the cursor or change colours. */
export function oneLine(text: string, longest = 120): string {
  const line = printable(text).trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
