import { oneLine } from './width.ts';

const maxLength = 400;

/** Returns the last line of a text, with the verdict. */
export function lastLine(verdict: 'PASSED' | 'INCONCLUSIVE' | 'FAILED' | 'INVALID', why: string): string {
  const text = oneLine(why, maxLength);
  if (verdict === 'PASSED') return text === '' ? verdict : `${verdict}, ${text}`;
  return `${verdict}: ${text === '' ? 'no known reason' : text}`;
}

/** Returns the last line for a failure after the run, such as an unwritable result. */
export function failedLine(why: string): string {
  return lastLine('FAILED', why);
}

/** Returns the last line if no verdict is possible. */
export function invalidLine(why: string): string {
  return lastLine('INVALID', why);
}
