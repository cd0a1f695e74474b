import { countOf } from '../../base/format.ts';
import { total, type Counters } from '../../record/counters.ts';
import type { Warning } from './warning.ts';

/** Returns a warning for refusals that stated a wait in a form that was not read. */
export function unreadWaitWarnings({ unreadWaits }: Pick<Counters, 'unreadWaits'>): Warning[] {
  const [first] = Object.entries(unreadWaits).toSorted(([, a], [, b]) => b - a);
  if (first === undefined) return [];
  const refusals = countOf(total(unreadWaits), 'refusal');
  return [
    {
      code: 'waits_not_read',
      message: `${refusals} stated a wait that was not read, such as \`${first[0]}\`: retries waited only for the backoff of their policy.`,
      remedy:
        'The service should send Retry-After (seconds, or an HTTP date) or retry-after-ms. Until then, set a backoff (retry.base) as long as the stated wait.',
    },
  ];
}
