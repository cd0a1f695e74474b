import { shareOf } from '../../base/field.ts';
import { failedTurns } from '../../record/counters.ts';
import { measuredLedger } from '../../result/books/books.ts';
import type { Percentile } from '../../result/percentiles/percentiles.ts';
import type { Result } from '../../result/result.ts';
import type { LatencySummary } from '../../result/sections/latency-summary.ts';
import { table, text, type OutlineBlock } from '../outline/outline.ts';
import { judgedFigure } from '../page/gate-limits.ts';
import type { Figure } from '../page/page.ts';
import { countOf, formatCount, formatMs, formatNumber, formatPerSecond, formatShare } from '../../base/format.ts';
import { intervalTexts, isDoubtfulIn, latencyText, percentileText } from '../words/measured-text.ts';
import { firstMissing, needText, shownPercentiles } from '../outline/too-few.ts';
import { costFigures } from './cost-section.ts';
import { modelFigures } from './inside-section.ts';
import { describeIntegrity } from './integrity-section.ts';
import { eventsText, outputDetail } from './stream-texts.ts';
import { objectivesText } from './retry-section.ts';
import type { RunSection, ShownRun } from './shown-run.ts';

/** Builds the key figures: tiles for one run, a table for several. */
export const figureSection: RunSection = (runs) => ({
  page: { id: 'figures', title: 'Key figures', lead: '' },
  blocks: [figuresBlock(runs), ...runs.map((run) => text(streamText(run)))],
});

/** Describes the stream of a run below its key figures; '' without streamed replies. */
function streamText({ isOverlaid, name, result: { stream } }: ShownRun): string {
  return stream.replies === 0 ? '' : `${isOverlaid ? `${name}: ` : ''}${eventsText(stream)}`;
}

function figuresBlock(runs: readonly ShownRun[]): OutlineBlock {
  const ofRuns = runs.map(({ result }) => figuresOf(result));
  const [only, ...others] = ofRuns;
  if (only !== undefined && others.length === 0) return { type: 'figures', figures: only };
  const names = [...new Set(ofRuns.flatMap((ofRun) => ofRun.map(({ name }) => name)))];
  return table(
    'Key figures by run',
    [{ head: 'figure' }, ...runs.map(({ name }) => ({ head: name }))],
    names.map((name) => [name, ...ofRuns.map((ofRun) => inCell(ofRun.find((each) => each.name === name)))]),
  );
}

const inCell = (figure: Figure | undefined): string =>
  figure === undefined ? '-' : [figure.text, figure.detail].filter((text) => text !== '').join('; ');

const figure = (name: string, text: string, detail: string, state: Figure['state'] = 'plain'): Figure => ({
  name,
  text,
  detail,
  state,
});

/** Users of a streamed service wait for the first token and read at the pace of the events, so these figures lead. */
function figuresOf(result: Result): Figure[] {
  const { turn } = result.latency;
  return [
    ...streamFigures(result),
    ...percentileFigures(result, { name: 'turn', metric: 'turn', summary: turn, of: 'turns' }, ['p50', 'p95', 'p99']),
    failures(result),
    ...notCreated(result),
    ...rateFigures(result),
    ...objective(result),
    ...costFigures(result),
    ...modelFigures(result),
  ];
}

interface Measured {
  name: string;
  /** Prefix of the metrics that gates name. */
  metric: string;
  summary: LatencySummary;
  /** Values of the series, in the plural. */
  of: string;
}

/** Tiles of the known percentiles, then the maximum instead of the first one with too few values. */
function percentileFigures(result: Result, measured: Measured, wanted: readonly Percentile['name'][]): Figure[] {
  const { name, metric, summary } = measured;
  const missing = firstMissing(summary, wanted);
  const known = shownPercentiles(summary, wanted).map((each) => {
    const tile = figure(`${name} ${each.name}`, percentileText(summary, each.key), intervalText(summary, each.key));
    return judgedFigure(result, [`${metric}.${each.name}`], tile);
  });
  return missing === undefined ? known : [...known, insteadOf(missing, measured)];
}

function intervalText(summary: LatencySummary, key: Percentile['key']): string {
  if (isDoubtfulIn(summary, key)) return 'doubtful: the generator read replies late';
  const interval = intervalTexts(summary, key);
  if (interval !== undefined) return `95 % interval ${interval.low} to ${interval.high}`;
  return key === 'p99Ms' && summary.p99AtMaxMs !== null
    ? `at most ${latencyText(summary, summary.p99AtMaxMs)} with 99 % confidence`
    : '';
}

function insteadOf(missing: Percentile, { name, summary, of }: Measured): Figure {
  const needed = needText(missing, summary.count, of);
  return summary.count === 0
    ? figure(`${name} ${missing.name}`, '-', needed)
    : figure(`${name} max`, latencyText(summary, summary.maxMs), needed);
}

/** Builds the tiles of streamed replies; empty for a run without them. */
function streamFigures(result: Result): Figure[] {
  if (result.stream.replies === 0) return [];
  const { firstToken, gap, tokenTime } = result.latency;
  const first = { name: 'time to first token', metric: 'firstToken', summary: firstToken, of: 'replies' };
  return [
    ...percentileFigures(result, first, ['p50', 'p95']),
    ...pairFigure(result, { name: 'gap between events', metric: 'gap', summary: gap, of: 'gaps' }),
    ...pairFigure(result, { name: 'time per output token', metric: 'tokenTime', summary: tokenTime, of: 'replies' }),
    tokenRate(result),
  ];
}

/** Builds the tile of a series: its p95 with the median below it, or the maximum with the known percentiles. */
function pairFigure(result: Result, measured: Measured): Figure[] {
  const { summary } = measured;
  if (summary.count === 0) return [];
  const figures = percentileFigures(result, measured, ['p50', 'p95']);
  const tail = figures.at(-1);
  if (tail === undefined || figures.length === 1) return figures;
  const others = figures.slice(0, -1).map(({ name, text }) => `${name.slice(measured.name.length + 1)} ${text}`);
  const detail = [others.join(', '), tail.detail].filter((text) => text !== '').join('; ');
  return [{ ...tail, detail, state: figures.some(({ state }) => state === 'bad') ? 'bad' : tail.state }];
}

function tokenRate(result: Result): Figure {
  const rate = result.stream.outputTokensPerSecond;
  const tile = figure('output tokens per second', rate === null ? '-' : formatNumber(rate), outputDetail(result));
  return judgedFigure(result, ['stream.outputTokensPerSecond'], tile);
}

function failures(result: Result): Figure {
  const { turns } = result.outcomes;
  const failed = failedTurns(turns);
  const ended = turns.ok + failed;
  const text = `${formatCount(failed)} of ${formatCount(ended)}`;
  const state = ended === 0 ? 'plain' : failed === 0 ? 'good' : 'doubtful';
  const detail = ended === 0 ? '' : formatShare(shareOf(failed, ended));
  return judgedFigure(result, ['turns.failedShare'], figure('failed turns', text, detail, state));
}

/** Sessions that could not be created, if any: their turns were never sent. */
function notCreated({ books }: Result): Figure[] {
  const { create_failed: failed, started } = measuredLedger(books).sessions;
  if (failed === 0) return [];
  const text = `${formatCount(failed)} of ${formatCount(started)}`;
  return [figure('sessions not created', text, formatShare(shareOf(failed, started)), 'doubtful')];
}

const integrityStates = { pass: 'good', fail: 'bad', unsupported: 'bad', 'no-data': 'doubtful', off: 'plain' } as const;

function rateFigures(result: Result): Figure[] {
  const { turnsPerSecond, measuredMs } = result.rates;
  const { amplification, retries } = result.retries;
  const rate = turnsPerSecond === null ? '-' : formatPerSecond(turnsPerSecond);
  const retried = `attempts per turn; ${countOf(retries, 'retry', 'retries')}`;
  const { word, text } = describeIntegrity(result);
  return [
    judgedFigure(result, ['rates.turnsPerSecond'], figure('turns per second', rate, `over ${formatMs(measuredMs)}`)),
    judgedFigure(
      result,
      ['retries.amplification'],
      figure('retry amplification', amplification?.toFixed(3) ?? '-', retried),
    ),
    figure('integrity', word, text, integrityStates[result.integrity.verdict]),
  ];
}

/** Builds the tile of the share of turns within the objectives; empty if there are none. */
function objective(result: Result): Figure[] {
  const { goodput } = result.retries;
  const objectives = objectivesText(result.retries);
  if (objectives === null) return [];
  const rate = goodput.perSecond === null ? '' : `; goodput ${formatPerSecond(goodput.perSecond)}`;
  const tile = figure('objective', formatShare(goodput.share), `of turns ok within ${objectives}${rate}`);
  return [judgedFigure(result, ['goodput.share'], tile)];
}
