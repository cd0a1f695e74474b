import { shareOf } from '../../base/field.ts';
import { failedTurns } from '../../record/counters.ts';
import { measuredLedger } from '../../result/books/books.ts';
import { percentiles, type Percentile } from '../../result/percentiles/percentiles.ts';
import type { Result } from '../../result/result.ts';
import type { LatencySummary } from '../../result/sections/latency-summary.ts';
import type { OutlineBlock } from '../outline/outline.ts';
import { judgedFigure } from '../page/gate-limits.ts';
import type { Figure } from '../page/page.ts';
import { countOf, formatCount, formatMs, formatNumber, formatPerSecond, formatShare } from '../../base/format.ts';
import { describeIntegrity } from './integrity-section.ts';
import { eventsText, outputDetail } from './stream-texts.ts';
import { objectivesText } from './retry-section.ts';
import type { RunSection, ShownRun } from './shown-run.ts';

/** Key figures: tiles for one run, a table for several. */
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
    title: 'Key figures by run',
    columns: [{ head: 'figure' }, ...runs.map(({ name }) => ({ head: name }))],
    rows: names.map((name) => ({
      cells: [name, ...ofRuns.map((ofRun) => inCell(ofRun.find((each) => each.name === name)))],
    })),
  };
}

const inCell = (figure: Figure | undefined): string =>
  figure === undefined ? '-' : [figure.text, figure.detail].filter((text) => text !== '').join('; ');

/** Users of a streamed service wait for the first token and read at the pace of the events: these lead. */
function figuresOf(result: Result): Figure[] {
  const { turn } = result.latency;
  return [
    ...streamFigures(result),
    ...percentileFigures(result, { name: 'turn', metric: 'turn', summary: turn, of: 'turns' }, ['p50', 'p95', 'p99']),
    failures(result),
    ...notCreated(result),
    turnRate(result),
    amplification(result),
    integrity(result),
    ...objective(result),
  ];
}

/** A series whose percentiles are tiles. */
interface Measured {
  name: string;
  /** Prefix of the metrics that gates name. */
  metric: string;
  summary: LatencySummary;
  /** Values of the series, in the plural. */
  of: string;
}

/** Tiles of the known percentiles, then the maximum instead of the first unknown one. */
function percentileFigures(result: Result, measured: Measured, wanted: readonly Percentile['name'][]): Figure[] {
  const { name, metric, summary } = measured;
  const all = percentiles.filter((each) => wanted.includes(each.name));
  const missing = all.find(({ key }) => summary[key] === null);
  const known = all
    .filter(({ key }) => summary[key] !== null)
    .map((each) =>
      judgedFigure(result, [`${metric}.${each.name}`], {
        name: `${name} ${each.name}`,
        text: formatMs(summary[each.key]),
        detail: intervalText(summary, each.key),
        state: 'plain',
      }),
    );
  return missing === undefined ? known : [...known, insteadOf(missing, measured)];
}

function intervalText(summary: LatencySummary, key: Percentile['key']): string {
  const interval = summary.intervals?.[key] ?? null;
  if (interval !== null) return `95 % interval ${formatMs(interval.lowMs)} to ${formatMs(interval.highMs ?? Infinity)}`;
  return key === 'p99Ms' && summary.p99AtMaxMs !== null
    ? `at most ${formatMs(summary.p99AtMaxMs)} with 99 % confidence`
    : 'no 95 % interval';
}

function insteadOf(missing: Percentile, { name, summary, of }: Measured): Figure {
  const needed = `${formatCount(missing.floor)} ${of} needed, ${formatCount(summary.count)} measured`;
  return summary.count === 0
    ? { name: `${name} ${missing.name}`, text: '-', detail: needed, state: 'plain' }
    : { name: `${name} max`, text: formatMs(summary.maxMs), detail: `for ${missing.name}: ${needed}`, state: 'plain' };
}

/** Empty for a run without streamed replies. */
function streamFigures(result: Result): Figure[] {
  const { stream, latency } = result;
  if (stream.replies === 0) return [];
  const { firstToken, gap, tokenTime } = latency;
  return [
    ...percentileFigures(
      result,
      { name: 'time to first token', metric: 'firstToken', summary: firstToken, of: 'replies' },
      ['p50', 'p95'],
    ),
    ...pairFigure(result, { name: 'gap between events', metric: 'gap', summary: gap, of: 'gaps' }),
    ...pairFigure(result, { name: 'time per output token', metric: 'tokenTime', summary: tokenTime, of: 'replies' }),
    tokenRate(result),
  ];
}

/** One tile for a series: its p95 with the median below it, or the best-known figure instead. */
function pairFigure(result: Result, measured: Measured): Figure[] {
  const { summary } = measured;
  if (summary.count === 0) return [];
  const figures = percentileFigures(result, measured, ['p50', 'p95']);
  const [median, tail] = figures;
  if (median === undefined || tail === undefined) return figures;
  const detail = [`p50 ${median.text}`, tail.detail].filter((text) => text !== '').join('; ');
  return [{ ...tail, detail, state: [median, tail].some(({ state }) => state === 'bad') ? 'bad' : tail.state }];
}

function tokenRate(result: Result): Figure {
  const { stream } = result;
  const rate = stream.outputTokensPerSecond;
  return judgedFigure(result, ['stream.outputTokensPerSecond'], {
    name: 'output tokens per second',
    text: rate === null ? '-' : formatNumber(rate),
    detail: [outputDetail(result), eventsText(stream)].filter((text) => text !== '').join('; '),
    state: 'plain',
  });
}

function failures(result: Result): Figure {
  const { turns } = result.outcomes;
  const failed = failedTurns(turns);
  const ended = turns.ok + failed;
  return judgedFigure(result, ['turns.failedShare'], {
    name: 'failed turns',
    text: `${formatCount(failed)} of ${formatCount(ended)}`,
    detail: ended === 0 ? '' : formatShare(shareOf(failed, ended)),
    state: ended === 0 ? 'plain' : failed === 0 ? 'good' : 'doubtful',
  });
}

/** Sessions that could not be created, if any: their turns were never sent. */
function notCreated({ books }: Result): Figure[] {
  const { create_failed: failed, started } = measuredLedger(books).sessions;
  if (failed === 0) return [];
  const text = `${formatCount(failed)} of ${formatCount(started)}`;
  return [{ name: 'sessions not created', text, detail: formatShare(shareOf(failed, started)), state: 'doubtful' }];
}

function turnRate(result: Result): Figure {
  const { turnsPerSecond, measuredMs } = result.rates;
  const text = turnsPerSecond === null ? '-' : formatPerSecond(turnsPerSecond);
  const figure = { name: 'turns per second', text, detail: `over ${formatMs(measuredMs)}`, state: 'plain' } as const;
  return judgedFigure(result, ['rates.turnsPerSecond'], figure);
}

function amplification(result: Result): Figure {
  const { amplification: value, retries } = result.retries;
  const detail = `attempts per turn; ${countOf(retries, 'retry', 'retries')}`;
  const figure = { name: 'retry amplification', text: value?.toFixed(3) ?? '-', detail, state: 'plain' } as const;
  return judgedFigure(result, ['retries.amplification'], figure);
}

const integrityStates = { pass: 'good', fail: 'bad', unsupported: 'bad', 'no-data': 'doubtful', off: 'plain' } as const;

function integrity(result: Result): Figure {
  const { verdict } = result.integrity;
  const { word, text } = describeIntegrity(result);
  return { name: 'integrity', text: word, detail: text, state: integrityStates[verdict] };
}

/** Share of turns within the objectives; empty without any. */
function objective(result: Result): Figure[] {
  const { goodput } = result.retries;
  const objectives = objectivesText(result.retries);
  if (objectives === null) return [];
  const rate = goodput.perSecond === null ? '' : `; goodput ${formatPerSecond(goodput.perSecond)}`;
  const detail = `of turns ok within ${objectives}${rate}`;
  return [
    judgedFigure(result, ['goodput.share'], {
      name: 'objective',
      text: formatShare(goodput.share),
      detail,
      state: 'plain',
    }),
  ];
}
