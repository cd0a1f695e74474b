import picocolors from 'picocolors';
import type { Result } from '../../../../result/result.ts';
import { integrityLine } from '../../../run/verdict-lines.ts';

const plainStyle = { colors: picocolors.createColors(false), width: Infinity };

/** The verdict on integrity as the terminal has it: a word or two, and what it rests on. */
export function integrityWords(result: Result): [verdict: string, detail: string] {
  const line = integrityLine(result, plainStyle).replace(/^INTEGRITY\s+/, '');
  if (line === '') return ['off', 'the guard did not check replies'];
  const [verdict = '', ...rest] = line.split(': ');
  return [verdict, rest.join(': ')];
}
