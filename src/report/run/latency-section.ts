import { maxTurnNumber } from '../../plan/distributions.ts';
import { positions as positionNames, positionText, type Position } from '../../record/positions.ts';
import { isOfAttributedCalls, publishedSeries, type PublishedSeries } from '../../record/series.ts';
import { readSparse } from '../../record/sparse-histogram.ts';
import { percentiles, type Percentile } from '../../result/percentiles/percentiles.ts';
import type { Result } from '../../result/result.ts';
import { unattributedText } from '../../result/sections/model.ts';
import { rankedValues, type LatencySummary } from '../../result/sections/latency-summary.ts';
import { heads, table, text, type OutlineBlock, type OutlineColumn, type TextBlock } from '../outline/outline.ts';
import { gateLimits } from '../page/gate-limits.ts';
import { rounded, type CurveBlock, type RangesBlock, type Tone } from '../page/page.ts';
import { formatCount } from '../../base/format.ts';
import type { FigureError } from '../../result/sections/figure-error.ts';
import { doubtLegend, isDoubtfulIn, latencyText, percentileText } from '../words/measured-text.ts';
import { dashBlocks, highestKnown, shownPercentiles } from '../outline/too-few.ts';
import { inRun, perRun, rangesBlock, titleIn, type RunSection, type ShownRun } from './shown-run.ts';

/** Builds the table of latency by series; a run with streamed replies leads with their series. */
export const latencySection: RunSection = (runs) => ({
  page: { id: 'percentiles', title: 'Latency', lead: 'Over the whole measured time.' },
  blocks: [
    { type: 'made', page: () => percentileCurves(runs) },
    ...runs.flatMap((run) => [...latencyTable(run), ...adjustedLegend(run), ...doubtLegendOf(run)]),
  ],
});

/** Series that users of a streamed reply feel, the most important first. */
const streamedSeries = ['firstToken', 'gap', 'tokenTime'] as const;

/** Percentiles of every table: those that no row has are only in the legend. */
const wanted = ['p50', 'p95', 'p99'] as const;

export const shortLatencySection = perRun({}, ({ result: { latency } }) => {
  const rows = ([...streamedSeries, 'attempt', 'turn', 'effective', 'lateness'] as const)
    .filter((name) => latency[name].count > 0)
    .map((name): [string, LatencySummary] => [name, latency[name]]);
  const kept = percentiles.filter(
    (each) => isWanted(each) || rows.some(([, row]) => shownPercentiles(row, wanted).includes(each)),
  );
  const columns = heads('>count', ...kept.map(({ name }) => `>${name}`), '>max');
  return [
    table(
      '',
      [...heads('`series`'), ...columns.map((column) => ({ ...column, markdown: 'made' as const }))],
      rows.map(([name, row]) => [
        name,
        formatCount(row.count),
        ...kept.map(({ key }) => percentileText(row, key)),
        latencyText(row, row.maxMs),
      ]),
    ),
    ...dashBlocks(rows, wanted),
    ...doubtBlocks(rows.map(([, row]) => row)),
  ];
});

const isWanted = ({ name }: Percentile): boolean => (wanted as readonly string[]).includes(name);

/** Builds the table of turn latency by the turn's position in its session; empty if there is only one position. */
export const positionSection: RunSection = (runs) => {
  const several = runs.filter(({ result }) => shownPositions(result).length > 1);
  return {
    page: {
      id: 'positions',
      isSecondary: true,
      title: 'By position in the session',
      lead: 'Rising latency means that the service slows down as conversations grow.',
    },
    blocks: [
      { type: 'made', page: () => shownRanges.flatMap((each) => positionRanges(several, each)) },
      ...several.flatMap((run) =>
        tableOf(
          titleIn(run, 'Turn latency by position'),
          'position|BY POSITION',
          shownPositions(run.result).map((row) => [positionLabel(run, row.position), row]),
        ),
      ),
      ...several.flatMap((run) =>
        tableOf(
          titleIn(run, 'First token by position'),
          'position|FIRST TOKEN',
          shownPositions(run.result).flatMap(({ position, firstToken }) =>
            firstToken === undefined ? [] : [[positionLabel(run, position), firstToken] as const],
          ),
        ),
      ),
    ],
  };
};

const positionLabel = (run: ShownRun, position: Position): string =>
  `turn ${positionText(position, maxTurnNumberOf([run]))}`;

const maxTurnNumberOf = (runs: readonly ShownRun[]): number =>
  Math.max(...runs.map(({ result }) => maxTurnNumber(result.scenario.plan)));

const shownPositions = ({ positions }: Result): Result['positions'] => positions.filter((row) => row.count > 0);

/** Percentiles shown, the others are in the result. Narrow terminals drop the one with the highest `goes` first. */
const shown = [
  { key: 'p50Ms', column: { head: 'p50', align: 'right' } },
  { key: 'p75Ms', column: { head: 'p75', align: 'right', goes: 3 } },
  { key: 'p90Ms', column: { head: 'p90', align: 'right', goes: 1 } },
  { key: 'p95Ms', column: { head: 'p95', align: 'right' } },
  { key: 'p99Ms', column: { head: 'p99', align: 'right' } },
  { key: 'p999Ms', column: { head: 'p99.9', align: 'right', goes: 2 } },
] as const satisfies readonly { key: Percentile['key']; column: OutlineColumn }[];

type Row = Pick<LatencySummary, 'count' | (typeof shown)[number]['key']> & {
  errorMs?: FigureError;
  resolutionMs?: number | undefined;
  maxMs?: number | null;
  infiniteFrom?: string | null;
};

/** Builds the table of some rows and explains its dashes; omits percentiles that no row has, and p75 if every row has p90. */
function tableOf(title: string, first: string, rows: readonly (readonly [string, Row])[]): OutlineBlock[] {
  const kept = shown.filter(({ key }) =>
    key === 'p75Ms'
      ? rows.some(([, row]) => highestKnown(row)?.key === key)
      : rows.some(([, row]) => row[key] !== null || row.infiniteFrom != null),
  );
  const names = shown.flatMap((each) =>
    each.column.head !== 'p75' && (kept.includes(each) || wanted.some((name) => name === each.column.head))
      ? [each.column.head]
      : [],
  );
  const made = table(
    title,
    [...heads(first, '>count'), ...kept.map(({ column }) => column), ...heads('>max')],
    rows.map(([name, row]) => {
      const max = row.maxMs === undefined ? '' : latencyText(row, row.maxMs);
      return [name, formatCount(row.count), ...percentileTexts(row, kept), max];
    }),
    { on: ['terminal', 'page'] },
  );
  return [made, ...dashBlocks(rows, names).map((each) => ({ ...each, on: ['terminal', 'page'] as const }))];
}

function percentileTexts(row: Row, kept: readonly (typeof shown)[number][]): string[] {
  let isInfinite = false;
  return kept.map(({ key }) => {
    isInfinite ||= row.infiniteFrom === key;
    return isInfinite && row[key] === null ? '∞' : percentileText(row, key);
  });
}

/** Omits rows without samples, planned backoffs, first answers of runs without reasoning, and model calls by turn if too few are attributed. */
function latencyTable(run: ShownRun): OutlineBlock[] {
  const { latency, stream, model } = run.result;
  const isUnattributed = unattributedText(model) !== undefined;
  const isShown = (series: PublishedSeries): boolean =>
    series.name !== 'backoff' &&
    (series.name !== 'firstAnswer' || stream.reasoned > 0) &&
    !(isUnattributed && isOfAttributedCalls(series));
  const isOfStream = ({ name }: PublishedSeries): boolean => (streamedSeries as readonly string[]).includes(name);
  const rows = publishedSeries
    .filter(isShown)
    .toSorted((a, b) => Number(isOfStream(b)) - Number(isOfStream(a)))
    .flatMap((series) => rowsOf(series, latency))
    .filter(([, row]) => row.count > 0);
  return tableOf(titleIn(run, 'Latency by series'), 'series|LATENCY', rows);
}

/** Explains the mark of doubtful figures, if a series has one. */
function doubtLegendOf({ result: { latency } }: ShownRun): TextBlock[] {
  return doubtBlocks(publishedSeries.flatMap((series) => rowsOf(series, latency).map(([, row]) => row)));
}

const doubtBlocks = (rows: readonly Row[]): TextBlock[] =>
  rows.some((row) => percentiles.some(({ key }) => isDoubtfulIn(row, key))) ? [text(doubtLegend, 'dim')] : [];

/** Explains the sign in `adjusted` rows, if there are any. */
function adjustedLegend({ result: { latency } }: ShownRun): TextBlock[] {
  const rows = publishedSeries.flatMap((series) => rowsOf(series, latency));
  const isInfinite = rows.some(([, { infiniteFrom }]) => infiniteFrom != null);
  return isInfinite ? [text('adjusted: failed turns count as infinitely slow (∞)', 'dim')] : [];
}

/** Builds the rows of a series, followed by its parts if some of it failed. */
function rowsOf({ name, label }: PublishedSeries, latency: Result['latency']): [string, Row][] {
  const all = latency[name];
  if (all === undefined) return [];
  if (!('failed' in all) || all.failed.count === 0 || name.startsWith('effective')) return [[label, all]];
  const parts: [string, Row][] = [
    ['  ok', all.ok],
    // Replies of abandoned turns are not failures, but have first tokens and gaps.
    ['adjusted' in all || name === 'attempt' ? '  failed' : '  not ok', all.failed],
  ];
  return [[label, all], ...parts, ...('adjusted' in all ? [['  adjusted', all.adjusted] as [string, Row]] : [])];
}

const shownRanges = percentiles.filter(({ name }) => ['p50', 'p95', 'p99'].includes(name));

function positionRanges(runs: readonly ShownRun[], { key, name }: Percentile): RangesBlock[] {
  // Runs of one position share its label.
  const longest = maxTurnNumberOf(runs);
  const rows = positionNames.flatMap((position) =>
    runs.map((run) => {
      const latency = run.result.positions.find((each) => each.position === position);
      const { lowMs = null, highMs = null } = latency?.intervals?.[key] ?? {};
      return {
        ...inRun(run, `turn ${positionText(position, longest)}`, 'first'),
        value: latency?.[key] ?? null,
        low: lowMs,
        high: highMs,
      };
    }),
  );
  const description = '95 % intervals are estimated within the run, if there are enough values.';
  const chart = { id: `positions-${name}`, title: `Turn latency by position, ${name}`, description } as const;
  return rangesBlock({ ...chart, unit: 'ms', scale: 'log', reference: null }, rows);
}

function percentileCurves(runs: readonly ShownRun[]): CurveBlock[] {
  const series = runs.flatMap((run) =>
    curvesOf(run.result, run.isOverlaid).flatMap(([label, tone, summary, isOff = false]) => {
      const points = pointsOf(summary);
      return points.length === 0 ? [] : [{ ...inRun(run, label, tone), points, ...(isOff && { isOff }) }];
    }),
  );
  if (series.length === 0) return [];
  const results = runs.map(({ result }) => result);
  return [
    {
      type: 'curve',
      id: 'percentile-curve',
      title: 'Percentiles',
      description:
        'Latency by percentile; the axis is logarithmic in the tail. A curve ends where too few values remain beyond it.',
      isLog: results.some(isStreamed),
      series,
      limits: percentiles.flatMap(({ name, percent }) =>
        gateLimits(results, curveMetrics.map((metric) => `${metric}.${name}`)) // prettier-ignore
          .map(({ value, label }) => ({ percentile: percent, value, label })),
      ),
    },
  ];
}

/** Series with a curve whose gates are drawn as limits. */
const curveMetrics = ['firstToken', 'gap', 'tokenTime', 'turn', 'effective', 'attempt', 'sessionCreate'];

const isStreamed = ({ latency }: Result): boolean => latency.firstToken.count > 0;

type Curve = readonly [label: string, tone: Tone, summary: LatencySummary, isOff?: boolean];

/** Selects whole series; for a single run also the failed parts, which may be faster or slower. Streamed runs lead with events. */
function curvesOf(result: Result, isOverlaid: boolean): Curve[] {
  const { turn, effective, attempt, sessionCreate, firstToken, gap, tokenTime } = result.latency;
  const areOff = isStreamed(result);
  const wholes: Curve[] = [
    ['effective', 'neutral', effective, areOff],
    ['attempt', 'third', attempt, areOff],
    ['session create', 'fourth', sessionCreate, areOff],
  ];
  const shown: Curve[] = areOff
    ? [
        ['time to first token', 'first', firstToken],
        ['gap between events', 'second', gap],
        ['time per token', 'third', tokenTime],
        ['turn', 'fourth', turn],
        ...wholes,
      ]
    : [['turn', 'first', turn], ...wholes];
  if (isOverlaid || attempt.failed.count === 0) return shown;
  // Curves of ok parts nearly cover the curves of whole series.
  const parts: Curve[] = [
    ['turn, ok', 'ok', turn.ok, true],
    ['turn, failed', 'failed', turn.failed, areOff],
    ['attempt, ok', 'neutral', attempt.ok, true],
    ['attempt, failed', 'server', attempt.failed, areOff],
  ];
  return [...shown, ...parts.filter(([label]) => !label.startsWith('turn') || turn.failed.count > 0)];
}

/** Points for each halving of the remaining values. */
const perHalving = 6;
/** Minimum of expected values beyond a percentile, as for published ones: with fewer, there may be less than two. */
const minBeyond = 6.64;

/** Returns percentiles and their values, from the minimum to the last percentile with enough values beyond it. */
function pointsOf({ count, minMs, maxMs, hdr }: LatencySummary): [number, number][] {
  if (hdr === null || minMs === null || maxMs === null) return [];
  const valueAt = rankedValues(readSparse(hdr), { minMs, maxMs });
  const halvings = Math.max(0, Math.floor(perHalving * Math.log2(count / minBeyond)));
  const rest = Array.from({ length: halvings }, (_, step): [number, number] => {
    const share = 1 - 2 ** (-(step + 1) / perHalving);
    return [Number((share * 100).toPrecision(8)), rounded(valueAt(Math.ceil(share * count - 1e-9)))];
  });
  return [[0, rounded(minMs)], ...rest];
}
