import type { Settled } from '../plan/settle.ts';
import { insecureLine } from '../report/run/insecure-line.ts';
import { stderr } from './terminal.ts';

let isSaid = false;

/** In red, and once, however many runs a command makes. */
export function warnOfInsecurity({ plan }: Pick<Settled, 'plan'>): void {
  const line = insecureLine(plan);
  if (line === '' || isSaid) return;
  isSaid = true;
  stderr.line(stderr.colors.red(line));
}
