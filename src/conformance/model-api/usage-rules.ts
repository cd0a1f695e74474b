import { isObject } from '../../base/is-object.ts';
import { show } from '../answer.ts';
import type { Seen } from '../rule.ts';
import { Skipped } from '../skipped.ts';
import type { Dialect } from './dialect.ts';

/** Whether usage tells both numbers of tokens. */
export function judgeUsage({ usage: { input, output } }: Dialect, usage: unknown): Seen {
  if (!isObject(usage)) return { isKept: false, seen: `usage: ${show(usage)}` };
  const seen = [input, output].map((name) => `${name} ${show(usage[name])}`).join(', ');
  return { isKept: isCount(usage[input]) && isCount(usage[output]), seen };
}

/** Whether the total is the sum. */
export function judgeTotal({ usage: { input, output, total = 'total_tokens' } }: Dialect, usage: unknown): Seen {
  if (!isObject(usage) || !isCount(usage[input]) || !isCount(usage[output]))
    throw new Skipped('there were no two numbers of tokens to add');
  return {
    isKept: usage[total] === usage[input] + usage[output],
    seen: `${show(usage[total])} of ${show(usage[input])} and ${show(usage[output])}`,
  };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
