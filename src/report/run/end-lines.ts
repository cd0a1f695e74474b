import type { Result } from '../../result/result.ts';
import type { Stop } from '../../result/sections/stop.ts';
import { formatCount } from '../words/format.ts';
import type { Style } from '../words/table.ts';
import { wrap } from '../words/wrap.ts';

const indent = 10;

/** Why a run ended before its end; nothing where it did not. */
export function stopLines({ run: { stop } }: Pick<Result, 'run'>, { colors, width }: Style): string[] {
  if (stop === null) return [];
  const [first = '', ...rest] = wrap(stop.reason.replace(/^stopped /, ''), width - indent);
  return [`${'stopped'.padEnd(indent)}${colors.yellow(first)}`, ...rest.map((line) => ' '.repeat(indent) + line)];
}

/** The same in a sentence: `stopped: maxTurns (60) was reached`, `stopped by SIGTERM`. */
export function stopWords({ kind, reason }: Stop): string {
  return kind === 'signal' ? reason : `stopped: ${reason}`;
}

/** What replies cost; nothing where the scenario does not say. */
export function costLines({ spending }: Pick<Result, 'spending'>): string[] {
  if (spending === null || spending.cost === null) return [];
  const cost = spending.cost.toLocaleString('en-US', { maximumFractionDigits: 6 });
  return [`${'cost'.padEnd(indent)}${cost} for ${formatCount(spending.turns)} messages, by the scenario’s function`];
}
