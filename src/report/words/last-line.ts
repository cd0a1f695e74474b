import { oneLine } from './width.ts';

const longest = 400;

/** The line that a text about a verdict ends with. */
export function lastLine(verdict: 'PASSED' | 'INCONCLUSIVE' | 'FAILED' | 'INVALID', why: string): string {
  const text = oneLine(why, longest);
  if (verdict === 'PASSED') return text === '' ? verdict : `${verdict}, ${text}`;
  return `${verdict}: ${text === '' ? 'no known reason' : text}`;
}

/** The same for something else that failed after the run, such as writing its result. */
export function failedLine(why: string): string {
  return lastLine('FAILED', why);
}

/** The same for what cannot be judged at all. */
export function invalidLine(why: string): string {
  return lastLine('INVALID', why);
}
