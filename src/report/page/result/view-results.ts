import type { Result } from '../../../result/result.ts';
import type { Page } from '../page.ts';
import { factsOf, titleOf } from './facts.ts';
import { books } from './sections/books.ts';
import { drift } from './sections/drift.ts';
import { environment } from './sections/environment.ts';
import { examples } from './sections/examples.ts';
import { figures } from './sections/figures.ts';
import { integrity } from './sections/integrity.ts';
import { overTime } from './sections/over-time.ts';
import { percentileCurves } from './sections/percentile-curves.ts';
import { planned } from './sections/planned.ts';
import { policies } from './sections/policies.ts';
import { positions } from './sections/positions.ts';
import { gates, outcomes, retries, warnings, workers } from './sections/run-tables.ts';
import type { SectionView } from './shown/section-view.ts';
import { showRuns, type ShownRun } from './shown/shown-run.ts';
import { verdictOf } from './verdict-of.ts';

/** From top to bottom. */
const sections: readonly SectionView[] = [
  figures,
  gates,
  overTime,
  percentileCurves,
  positions,
  outcomes,
  policies,
  retries,
  integrity,
  drift,
  examples,
  planned,
  environment,
  workers,
  books,
  warnings,
];

/**
 * The page of a result, or of several overlaid: every chart has them all, tables and figures stand side by side. All
 * texts are those of the documents, whatever is in them. Throws `UnreadableHistogram` where a histogram of an interval is
 * none of ours.
 */
export function viewResults(results: readonly Result[]): Page {
  return viewShown(showRuns(results));
}

/** The same of runs that have been opened. */
export function viewShown(runs: readonly ShownRun[]): Page {
  return {
    kind: 'result',
    title: titleOf(runs),
    facts: factsOf(runs),
    verdict: verdictOf(runs),
    sections: sections
      .map(({ view, ...section }) => ({ ...section, blocks: view(runs) }))
      .filter(({ blocks }) => blocks.length > 0),
    timelines: runs.map(({ timeline }) => timeline),
  };
}
