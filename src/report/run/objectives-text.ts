import type { Result } from '../../result/result.ts';
import { formatMs } from '../words/format.ts';

/** What a good turn keeps, in words: `3.00 s`, `3.00 s, first token 800 ms, gap 500 ms`; `null`: every ok turn is good. */
export function objectivesText({
  objectiveMs,
  objectiveFirstTokenMs,
  objectiveGapMs,
}: Pick<Result['retries'], 'objectiveMs' | 'objectiveFirstTokenMs' | 'objectiveGapMs'>): string | null {
  const limits = [
    ...(objectiveMs === null ? [] : [formatMs(objectiveMs)]),
    ...(objectiveFirstTokenMs === null ? [] : [`first token ${formatMs(objectiveFirstTokenMs)}`]),
    ...(objectiveGapMs === null ? [] : [`gap ${formatMs(objectiveGapMs)}`]),
  ];
  return limits.length === 0 ? null : limits.join(', ');
}
