import { shareOf } from '../../base/field.ts';
import { failedTurns } from '../../record/counters.ts';
import { measuredLedger } from '../../result/books/books.ts';
import { percentiles, type Percentile } from '../../result/percentiles/percentiles.ts';
import type { Result } from '../../result/result.ts';
import type { OutlineBlock } from '../outline/outline.ts';
import type { Figure } from '../page/page.ts';
import { countOf, formatCount, formatMs, formatNumber, formatPerSecond, formatShare } from '../../base/format.ts';
import { describeIntegrity } from './integrity-section.ts';
import { eventsText, outputDetail } from './stream-texts.ts';
import { objectivesText } from './retry-section.ts';
import type { RunSection, ShownRun } from './shown-run.ts';

/** Key figures: cards for one run, a table for several. */
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
    ...streamFigures(result),
    ...keyPercentiles.map((percentile) => percentileFigure(result, percentile)),
    failures(result),
    ...notCreated(result),
    turnRate(result),
    amplification(result),
    integrity(result),
    ...objective(result),
  ];
}

const keyPercentiles = percentiles.filter(({ name }) => ['p50', 'p95', 'p99'].includes(name));

function percentileFigure({ latency: { turn } }: Result, { key, name, floor }: Percentile): Figure {
  const figure = { name: `turn ${name}`, text: formatMs(turn[key]), state: 'plain' as const };
  if (turn[key] === null)
    return { ...figure, detail: `needs ${formatCount(floor)} turns; ${formatCount(turn.count)} ended` };
  const interval = turn.intervals?.[key] ?? null;
  if (interval === null && key === 'p99Ms' && turn.p99AtMaxMs !== null)
    return { ...figure, detail: `at most ${formatMs(turn.p99AtMaxMs)} with 99 % confidence` };
  if (interval === null) return { ...figure, detail: 'no 95 % interval' };
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

/** Sessions that could not be created, if any: their turns were never sent. */
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
  const { word, text } = describeIntegrity(result);
  return { name: 'integrity', text: word, detail: text, state: integrityStates[verdict] };
}

/** Figures of streamed replies; none for a run without them. */
function streamFigures(result: Result): Figure[] {
  const { latency, stream } = result;
  if (stream.replies === 0) return [];
  const { firstToken, gap, tokenTime } = latency;
  const first = keyPercentiles.filter(({ key }) => key !== 'p99Ms' || firstToken[key] !== null);
  const others = [
    { name: 'gap between events, p50', of: gap },
    { name: 'time per token, p50', of: tokenTime },
  ].filter(({ of }) => of.count > 0);
  const rate = stream.outputTokensPerSecond;
  return [
    ...first.map(({ key, name }): Figure => {
      const { lowMs = null, highMs = null } = firstToken.intervals?.[key] ?? {};
      const interval = lowMs === null ? '' : `95 % interval ${formatMs(lowMs)} to ${formatMs(highMs ?? Infinity)}`;
      return { name: `time to first token ${name}`, text: formatMs(firstToken[key]), detail: interval, state: 'plain' };
    }),
    ...others.map(({ name, of }): Figure => ({
      name,
      text: formatMs(of.p50Ms),
      detail: of.p95Ms === null ? '' : `p95 ${formatMs(of.p95Ms)}`,
      state: 'plain',
    })),
    {
      name: 'output tokens per second',
      text: rate === null ? '-' : formatNumber(rate),
      detail: [outputDetail(result), eventsText(stream)].filter((text) => text !== '').join('; '),
      state: 'plain',
    },
  ];
}

/** The share of turns within the latency objective, if there is one. */
function objective({ retries }: Result): Figure[] {
  const { goodput } = retries;
  const objectives = objectivesText(retries);
  if (objectives === null) return [];
  const rate = goodput.perSecond === null ? '' : `; goodput ${formatPerSecond(goodput.perSecond)}`;
  const detail = `turns ok within ${objectives}${rate}`;
  return [{ name: 'objective', text: formatShare(goodput.share), detail, state: 'plain' }];
}
