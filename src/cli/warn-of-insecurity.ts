import { printable } from '../base/printable.ts';
import type { Settled } from '../plan/settle.ts';
import { insecureTexts } from '../report/run/insecure-texts.ts';
import { stderr } from './terminal.ts';

const printed = new Set<string>();

/** In red, and each once, however many runs a command makes. */
export function warnOfInsecurity({ plan }: Pick<Settled, 'plan'>): void {
  for (const line of insecureTexts(plan)) {
    if (!printed.has(line)) stderr.line(stderr.colors.red(printable(line)));
    printed.add(line);
  }
}
