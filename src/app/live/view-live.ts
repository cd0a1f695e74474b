import { formatElapsed } from '../../base/format.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Page, Verdict } from '../../report/page/page.ts';
import type { RunOverTime } from '../../report/run/build-timeline.ts';
import { showRuns } from '../../report/run/shown-run.ts';
import { viewShown } from '../../report/run/result-outline.ts';
import { stopWords } from '../../report/run/load-section.ts';
import type { Result } from '../../result/result.ts';

/** What can be said only of a run that has ended. */
const afterwards: readonly string[] = ['drift', 'books'];

/** The page of a run under way. `soFar`: its result up to now, which has no intervals; these are in its timeline. */
export function viewLive(soFar: Result, overTime: RunOverTime): Page {
  const page = viewShown(showRuns([soFar], () => overTime));
  return {
    ...page,
    facts: page.facts.map(({ name, text }) => (name === 'length' ? { name, text: lengthText(soFar) } : { name, text })),
    verdict: verdictOf(soFar),
    sections: page.sections.filter(({ id }) => !afterwards.includes(id)),
  };
}

/** How much of what was planned is behind a run. */
export function doneText({ durationMs }: Pick<Plan, 'durationMs'>, elapsedMs: number): string {
  const elapsed = formatElapsed(elapsedMs);
  return durationMs === null ? elapsed : `${elapsed} of ${formatElapsed(durationMs)}`;
}

const lengthText = ({ run }: Result): string =>
  `under way; the figures are of its first ${formatElapsed(run.durationMs)}`;

function verdictOf({ gates, run, validity }: Result): Verdict {
  const failing = gates.filter(({ verdict }) => verdict === 'fail').map(({ metric }) => metric);
  const sentence = failing.length === 0 ? 'no gate fails so far' : `gates that fail so far: ${failing.join(', ')}`;
  const stopped = run.stop === null ? [] : [`S${stopWords(run.stop).slice(1)}`];
  const doubts = validity.reasons.map(({ message }) => `So far: ${message}`);
  return {
    state: 'running',
    sentence: `RUNNING: ${sentence}`,
    notes: [
      ...stopped,
      ...doubts,
      'The verdict, the intervals of percentiles, drift and the books come with the result, when the run has ended.',
    ],
  };
}
