import { printable } from '../../base/printable.ts';
import { cut } from './width.ts';

/** A text from outside as one line of at most `longest` columns, without what could move the cursor or change colours. */
export function oneLine(text: string, longest = 120): string {
  return cut(printable(text).trim(), longest);
}
