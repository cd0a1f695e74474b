import { oneLine } from '../../words/one-line.ts';
import type { ListedVerdict, ListRow } from './list.ts';

/** The verdict and its reason out of the last line of a document in the terminal: `FAILED: why`. */
export function splitVerdict(line: string): Pick<ListRow, 'verdict' | 'reason'> {
  const [, word, reason = ''] = /^(\w+)(?:[:,] (.*))?$/s.exec(line) ?? [];
  return { verdict: word as ListedVerdict, reason };
}

const longestReason = 160;

/** A reason as long as a list has room for. */
export function shortReason(text: string): string {
  return oneLine(text, longestReason);
}
