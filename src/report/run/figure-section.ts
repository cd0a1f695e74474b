import { shareOf } from '../../base/field.ts';
import { failedTurns } from '../../record/counters.ts';
import { measuredLedger } from '../../result/books/books.ts';
import { percentiles, type Percentile } from '../../result/percentiles/percentiles.ts';
import type { Result } from '../../result/result.ts';
import type { OutlineBlock } from '../outline/outline.ts';
import type { Figure } from '../page/page.ts';
import { countOf, formatCount, formatMs, formatPerSecond, formatShare } from '../../base/format.ts';
import { integrityWords } from './integrity-section.ts';
import { streamText } from './load-section.ts';
import { objectivesText } from './retry-section.ts';
import type { RunSection, ShownRun } from './shown-run.ts';

/** Cards of one run; several side by side. */
export const figureSection: RunSection = (runs) => ({
  page: { id: 'figures', title: 'Key figures', lead: '' },
  blocks: [figuresBlock(runs)],
});

function figuresBlock(runs: readonly ShownRun[]): OutlineBlock {
  const ofRuns = runs.map(({ result }) => figuresOf(result));
  const [only] = ofRuns;
  if (ofRuns.length === 1 && only !== undefined) return { type: 'figures', figures: only };
  const names = [...new Set(ofRuns.flatMap((ofRun) => ofRun.map(({ name }) => name)))];
  return {
    type: 'table',
    title: 'Key figures, run by run',
    columns: [{ head: 'figure' }, ...runs.map(({ name }) => ({ head: name }))],
    rows: names.map((name) => ({
      cells: [name, ...ofRuns.map((ofRun) => inCell(ofRun.find((each) => each.name === name)))],
    })),
  };
}

const inCell = (figure: Figure | undefined): string =>
  figure === undefined ? '-' : [figure.text, figure.detail].filter((text) => text !== '').join('; ');

function figuresOf(result: Result): Figure[] {
  return [
    ...keyPercentiles.map((percentile) => percentileFigure(result, percentile)),
    failures(result),
    ...notCreated(result),
    turnRate(result),
    amplification(result),
    integrity(result),
    ...objective(result),
    ...inPieces(result),
  ];
}

const keyPercentiles = percentiles.filter(({ name }) => ['p50', 'p95', 'p99'].includes(name));

function percentileFigure({ latency: { turn } }: Result, { key, name, floor }: Percentile): Figure {
  const figure = { name: `turn ${name}`, text: formatMs(turn[key]), state: 'plain' as const };
  if (turn[key] === null)
    return { ...figure, detail: `${formatCount(floor)} turns are needed, ${formatCount(turn.count)} ended` };
  const interval = turn.intervals?.[key] ?? null;
  if (interval === null && key === 'p99Ms' && turn.p99AtMaxMs !== null)
    return { ...figure, detail: `at most ${formatMs(turn.p99AtMaxMs)} with 99 % confidence` };
  if (interval === null) return { ...figure, detail: 'without a 95 % interval' };
  return { ...figure, detail: `95 % interval ${formatMs(interval.lowMs)} to ${formatMs(interval.highMs ?? Infinity)}` };
}

function failures({ outcomes: { turns } }: Result): Figure {
  const failed = failedTurns(turns);
  const ended = turns.ok + failed;
  return {
    name: 'failed turns',
    text: `${formatCount(failed)} of ${formatCount(ended)}`,
    detail: ended === 0 ? '' : formatShare(shareOf(failed, ended)),
    state: ended === 0 ? 'plain' : failed === 0 ? 'good' : 'doubtful',
  };
}

/** Sessions without which their turns were never sent: only where there are some. */
function notCreated({ books }: Result): Figure[] {
  const { create_failed: failed, started } = measuredLedger(books).sessions;
  if (failed === 0) return [];
  const text = `${formatCount(failed)} of ${formatCount(started)}`;
  return [{ name: 'sessions not created', text, detail: formatShare(shareOf(failed, started)), state: 'doubtful' }];
}

function turnRate({ rates: { turnsPerSecond, measuredMs } }: Result): Figure {
  const text = turnsPerSecond === null ? '-' : formatPerSecond(turnsPerSecond);
  return { name: 'turns per second', text, detail: `over ${formatMs(measuredMs)}`, state: 'plain' };
}

function amplification({ retries }: Result): Figure {
  const detail = `attempts per turn; ${countOf(retries.retries, 'retry', 'retries')}`;
  return { name: 'retry amplification', text: retries.amplification?.toFixed(3) ?? '-', detail, state: 'plain' };
}

const integrityStates = { pass: 'good', fail: 'bad', unsupported: 'bad', 'no-data': 'doubtful', off: 'plain' } as const;

function integrity(result: Result): Figure {
  const { verdict } = result.integrity;
  const { word, text } = integrityWords(result);
  return { name: 'integrity', text: word, detail: text, state: integrityStates[verdict] };
}

/** When first tokens came, and what came in pieces; nothing of a run with whole replies. */
function inPieces(result: Result): Figure[] {
  const { firstToken } = result.latency;
  if (result.stream.replies === 0) return [];
  const detail = `p50 ${formatMs(firstToken.p50Ms)}, p99 ${formatMs(firstToken.p99Ms)}; ${streamText(result)}`;
  return [{ name: 'first token p95', text: formatMs(firstToken.p95Ms), detail, state: 'plain' }];
}

/** Where the latency objective stands, if there is one. */
function objective({ retries }: Result): Figure[] {
  const { goodput } = retries;
  const objectives = objectivesText(retries);
  if (objectives === null) return [];
  const rate = goodput.perSecond === null ? '' : `; goodput ${formatPerSecond(goodput.perSecond)}`;
  const detail = `of turns ok within ${objectives}${rate}`;
  return [{ name: 'objective', text: formatShare(goodput.share), detail, state: 'plain' }];
}
