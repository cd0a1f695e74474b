import type { ListedVerdict } from '../../report/page/list/list.ts';

/** Verdicts as a list shows them. */
export const verdictWords: Readonly<Record<ListedVerdict, { sign: string; text: string }>> = {
  PASSED: { sign: '✓', text: 'PASSED' },
  DEGRADED: { sign: '!', text: 'PASSED, degraded' },
  FAILED: { sign: '✗', text: 'FAILED' },
  INVALID: { sign: '⚠', text: 'INVALID' },
  UNREADABLE: { sign: '⚠', text: 'UNREADABLE' },
};
