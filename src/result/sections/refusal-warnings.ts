import { countOf, formatCount } from '../../base/format.ts';
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

/** Returns a warning if nearly every response with status 409 or 423 followed an attempt that the service may still have worked on. */
export function conflictWarnings({ exchanges }: Pick<Counters, 'exchanges'>): Warning[] {
  const { conflicts, explainedConflicts } = exchanges;
  // Many others show another cause, which may be that of all.
  if (conflicts === 0 || explainedConflicts < minExplained * conflicts) return [];
  const followed = `${formatCount(explainedConflicts)} of ${countOf(conflicts, 'response')} with status 409 or 423`;
  return [
    {
      code: 'conflicts_after_unfinished',
      message: `${followed} followed an attempt of the same session that had timed out, been abandoned, lost its connection or ended with a gateway's 502: the service may still have been working on it.`,
      remedy:
        'Set a longer timeout, find what ends connections, or let the service stop its work when the client disconnects. Until then, retries of such attempts and the next messages of such sessions are refused.',
    },
  ];
}

const minExplained = 0.9;
