import { countOf, formatCost, formatCount, formatMs, formatNumber, formatShare } from '../../base/format.ts';
import { maxTurnNumber } from '../../plan/distributions.ts';
import { positionText } from '../../record/positions.ts';
import type { Result } from '../../result/result.ts';
import { unattributedText, type Model } from '../../result/sections/model.ts';
import type { ModelParts } from '../../result/sections/model-parts.ts';
import type { Propagation } from '../../result/sections/model-propagation.ts';
import { heads, list, made, table, type OutlineBlock, type OutlineTable } from '../outline/outline.ts';
import { judgedFigure } from '../page/gate-limits.ts';
import type { Figure, SpansBlock } from '../page/page.ts';
import { stackedBar, stackedSigns } from '../words/bars.ts';
import { oneLine } from '../words/width.ts';
import { paragraph } from '../words/paragraph.ts';
import { linkTraces, traceTemplate, traceText } from '../words/trace-link.ts';
import { titleIn, perRun, type ShownRun } from './shown-run.ts';
import { waterfall } from './waterfall.ts';

const lead = 'Model calls of the agent, and its own time, by turns and their attempts; without the warm-up.';

/** Both sides of the agent: its model calls within the turns of the users; empty without a model service. */
export const insideSection = perRun({ isLoose: true, page: { id: 'inside', title: 'Inside a turn', lead } }, (run) => {
  const { model } = run.result;
  if (model === null) return [];
  return [
    { type: 'heading', text: 'Inside a turn', on: ['markdown'] },
    made(({ width }) => factLines('model', summaryTexts(run.result, model), width)),
    { ...list(summaryTexts(run.result, model)), on: ['markdown', 'page'] },
    ...(unattributedText(model) === undefined ? turnBlocks(run, model) : []),
  ];
});

/** Builds the tables and charts by turn and by attempt, which would be wrong if many calls belonged to no known turn. */
const turnBlocks = (run: ShownRun, model: Model): OutlineBlock[] => [
  { type: 'made', page: () => partsChart(run, model) },
  partsTable(model),
  positionTable(run.result, model),
  wasteTable(run.result, model),
  propagationTable(model),
  { type: 'made', page: () => waterfall(run, model.slowTurns ?? []) },
  ...slowBlocks(run.result, model),
];

const maxSlow = 5;

/** Shows the traces of the slowest turns: lines in a terminal, a table on a page. */
function slowBlocks(result: Result, { slowTurns = [] }: Model): OutlineBlock[] {
  const link = traceTemplate(result);
  const rows = slowTurns.slice(0, maxSlow).flatMap(({ session, turn, outcome, durationMs, attempts }) => {
    const ids = attempts.flatMap(({ traceId }) => traceId ?? []);
    const place = `session ${String(session)}, turn ${String(turn)}`;
    return ids.length === 0 ? [] : [{ cells: [place, formatMs(durationMs), outcome], ids }];
  });
  if (rows.length === 0) return [];
  const lines = rows.map(
    ({ cells, ids }) => `${cells.join(', ')} (trace ${ids.map((id) => oneLine(traceText(id, link))).join(', ')})`,
  );
  const columns = linkTraces(heads('turn', '>duration', 'class', 'trace ids'), link);
  return [
    made(({ width }) => factLines('slowest', lines, width)),
    table(
      'Traces of the slowest turns',
      columns,
      rows.map(({ cells, ids }) => [...cells, ids.join(', ')]),
      { on: ['page'] },
    ),
  ];
}

/** Formats the lines of a terminal: named facts. */
const factLines = (name: string, texts: readonly string[], width: number): string =>
  texts
    .map((words, index) =>
      paragraph(words, { width, first: (index === 0 ? name : '').padEnd(10), paint: (line) => line }),
    )
    .join('\n');

function summaryTexts(result: Result, model: Model): string[] {
  const lacking = unattributedText(model);
  if (model.calls.total === 0 && lacking !== undefined) return [lacking, otherText(model)].filter(isWritten);
  const texts =
    lacking === undefined
      ? [`${callsText(model)}${callsByTurnText(model)}`, outcomeText(model), tokenText(model, cacheableText(model))]
      : [callsText(model), `no figures by turn and by attempt: ${lacking}`, outcomeText(model), tokenText(model)];
  const ends = lacking === undefined ? [deliveryText(model), cancelText(result)] : [];
  return [...texts, ...ends, otherText(model)].filter(isWritten);
}

const isWritten = (words: string): boolean => words !== '';

/** Formats the calls: `150 model calls, 96.7 % attributed` */
function callsText({ calls, attributedShare }: Model): string {
  const attributed = attributedShare === null ? '' : `, ${formatShare(attributedShare)} attributed`;
  return `${countOf(calls.total, 'model call')}${attributed}`;
}

/** Formats the calls of turns and attempts: `; 2.23 per ok turn (p95 4, max 4), amplification 1.117; ...` */
function callsByTurnText({ callsPerTurn, amplification, parallel, attempts, noCall }: Model): string {
  const { mean, p95, max } = callsPerTurn;
  const bypassed =
    noCall === 0 ? '' : `; ${formatCount(noCall)} of ${countOf(noCall + attempts, 'attempt')} without a call`;
  const perTurn =
    mean === null || attempts === 0
      ? ''
      : `; ${formatNumber(mean)} per ok turn (p95 ${formatNumber(p95 ?? 0)}, max ${formatNumber(max ?? 0)})`;
  const amplified = amplification === null ? '' : `, amplification ${amplification.toFixed(3)}`;
  const atOnce =
    parallel.max === null || parallel.max < 2
      ? ''
      : `; up to ${formatCount(parallel.max)} at once, more than one in ${formatShare(parallel.shareAbove1)} of the attempts`;
  return `${perTurn}${amplified}${atOnce}${bypassed}`;
}

function outcomeText({ byOutcome, calls }: Model): string {
  const others = Object.entries(byOutcome).filter(([name, count]) => name !== 'ok' && count > 0);
  if (others.length === 0) return '';
  const listed = others.toSorted(([, a], [, b]) => b - a).map(([name, count]) => `${name} ${formatCount(count)}`);
  return `${countOf(calls.total - byOutcome.ok, 'call')} not ok: ${listed.join(', ')}`;
}

function tokenText({ tokens }: Model, cacheable = ''): string {
  if (tokens.reportedCalls === 0) return '';
  const cached = tokens.cachedShare === null ? '' : ` (${formatShare(tokens.cachedShare)} read from a cache)`;
  return `${formatCount(tokens.input)} input tokens${cached}, ${formatCount(tokens.output)} output tokens${cacheable}`;
}

/** Formats the repeated input by the relation of the earlier call, which only an attributed call has. */
function cacheableText({ cacheable: { sameTurn, earlierTurn, otherSession } }: Model): string {
  if (sameTurn === null) return '';
  const all = sameTurn + (earlierTurn ?? 0) + (otherSession ?? 0);
  const by = `: ${formatShare(sameTurn)} of the same turn, ${formatShare(earlierTurn)} of an earlier turn, ${formatShare(otherSession)} of another session`;
  return `; ${formatShare(all)} of the input repeats the beginning of an earlier call${all === 0 ? '' : by}`;
}

function deliveryText({ delivered: { checked, delivered, share, foreign } }: Model): string {
  if (checked + foreign === 0) return '';
  const foreignText = foreign === 0 ? '' : `; ${countOf(foreign, 'reply', 'replies')} of another session`;
  return `${formatCount(delivered)} of ${countOf(checked, 'final reply', 'final replies')} of the model reached the user (${formatShare(share)})${foreignText}`;
}

function cancelText({ latency }: Result): string {
  const { count = 0, meanMs = null, maxMs = null } = latency['model.cancelDelay'] ?? {};
  if (count === 0) return '';
  return `the agent cancelled ${countOf(count, 'call')} after the user had left, ${formatMs(meanMs)} later on average (max ${formatMs(maxMs)})`;
}

function otherText({ connections: { opened, per1000Calls }, otherRequests }: Model): string {
  const per = per1000Calls === null ? '' : ` (${formatNumber(per1000Calls)} per 1,000 calls)`;
  const others = otherRequests === 0 ? '' : `; ${countOf(otherRequests, 'other request')}`;
  return opened + otherRequests === 0 ? '' : `${countOf(opened, 'connection')} to the model service${per}${others}`;
}

/** Parts of an attempt, in the order of the bar. */
const parts = [
  ['model', 'first', ({ modelMs }: ModelParts) => modelMs],
  ['retry wait', 'retry', ({ retryWaitMs }: ModelParts) => retryWaitMs],
  ['agent', 'ok', ({ agentMs }: ModelParts) => agentMs],
] as const;

const totalMs = (each: ModelParts): number => each.modelMs + each.retryWaitMs + each.agentMs;

function partRows({ parts: { all, slowest } }: Model): (readonly [string, ModelParts])[] {
  return [
    ...(all === null ? [] : [['mean attempt', all] as const]),
    ...(slowest === null ? [] : [['slowest 5 %', slowest] as const]),
  ];
}

const bypassText = 'Calls that bypass the model service, and the network to it, count as time of the agent.';

function partsTable(model: Model): OutlineTable {
  const rows = partRows(model);
  const longest = Math.max(0, ...rows.map(([, each]) => totalMs(each)));
  const names = parts.map(([name]) => `>${name}`);
  const signs = parts.map(([name], index) => `${stackedSigns[index] ?? ''} ${name}`);
  const shareOf = (each: ModelParts, ms: number): string =>
    formatShare(totalMs(each) === 0 ? null : ms / totalMs(each));
  return table(
    'Mean time of attempts',
    [
      ...heads('attempts with a call|INSIDE A TURN'),
      ...heads(...names).map((column) => ({ ...column, on: ['terminal'] as const })),
      ...heads(...names).map((column) => ({ ...column, on: ['markdown', 'page'] as const })),
      ...heads('>total'),
      { head: '', on: ['terminal'], goes: 1 },
    ],
    rows.map(([name, each]) => [
      name,
      ...parts.map(([, , read]) => formatMs(read(each))),
      ...parts.map(([, , read]) => `${formatMs(read(each))} (${shareOf(each, read(each))})`),
      formatMs(totalMs(each)),
      (width) =>
        stackedBar(
          parts.map(([, , read]) => read(each) / longest),
          width,
        ),
    ]),
    { legend: { text: `${signs.join('  ')}: means. ${bypassText}` } },
  );
}

function partsChart(run: ShownRun, model: Model): SpansBlock[] {
  const rows = partRows(model).map(([label, each]) => {
    let fromMs = 0;
    const spans = parts.map(([text, tone, read]) => {
      const span = { fromMs, toMs: fromMs + read(each), tone, text };
      fromMs = span.toMs;
      return span;
    });
    return { label, level: 0, note: formatMs(totalMs(each)), spans } as const;
  });
  if (rows.length === 0) return [];
  return [
    {
      type: 'spans',
      id: run.isOverlaid ? `inside-parts-${String(run.index + 1)}` : 'inside-parts',
      title: titleIn(run, 'Model, retry wait and agent'),
      description: `Mean parts of the attempts with a model call, and of the slowest 5 % of them. ${bypassText}`,
      legend: parts.map(([label, tone]) => ({ label, tone })),
      rows,
    },
  ];
}

const positionColumns = heads(
  ...[
    'turn|CALLS BY POSITION',
    '>turns',
    '>calls per turn|calls',
    '>input per turn|input',
    '>output per turn|output',
    '>cached',
  ],
);

function positionTable({ scenario }: Result, { positions, attempts }: Model): OutlineTable {
  const longest = maxTurnNumber(scenario.plan);
  const rows = positions
    .filter(({ turns }) => turns > 0 && attempts > 0)
    .map(({ position, turns, callsPerTurn, inputPerTurn, outputPerTurn, cachedShare }) => [
      `turn ${positionText(position, longest)}`,
      formatCount(turns),
      ...[callsPerTurn, inputPerTurn, outputPerTurn].map((value) => formatNumber(value ?? 0)),
      formatShare(cachedShare),
    ]);
  return table('Model calls and tokens per turn', positionColumns, rows, {
    legend: { text: 'per ok turn: model calls and tokens of all its attempts' },
  });
}

const wasteColumns = heads(
  'work|EXTRA WORK',
  '>calls',
  '>share of calls|share',
  '>time after the end|time after',
  '>tokens',
  '>cost',
);

function wasteTable({ cost }: Result, { repeats, duplicates, orphaned, afterReply, calls }: Model): OutlineTable {
  const costText = (value: number | null | undefined): string =>
    value === null || value === undefined ? '-' : `${formatCost(value)} ${cost?.currency ?? ''}`.trim();
  const rows = [
    { name: 'repeats of failed calls', calls: repeats, cost: cost?.repeated },
    { name: 'duplicates', calls: duplicates },
    { name: 'orphaned: after the user had left', ...orphaned },
    { name: 'after an ok reply (not waste)', ...afterReply },
  ];
  return table(
    'Extra work',
    wasteColumns,
    rows
      .filter((row) => row.calls > 0)
      .map((row) => [
        row.name,
        formatCount(row.calls),
        formatShare(row.calls / calls.total),
        'ms' in row ? formatMs(row.ms) : '-',
        'tokens' in row ? formatCount(row.tokens) : '-',
        costText(row.cost),
      ]),
  );
}

const propagationColumns = heads(
  ...[
    'fault|INJECTED FAULTS',
    '>calls',
    '>turns',
    '>ok at once',
    '>ok after retry',
    '>failed',
    '>abandoned|left',
    '>added time|added',
    'failures/1',
  ],
);

function propagationTable({ propagation }: Model): OutlineTable {
  return table('Effect of injected faults on turns', propagationColumns, propagation.map(propagationCells), {
    legend: {
      text: 'added: median of the ok turns minus the median of others at the same position and with as many calls; - with fewer than 10 of such turns on either side',
    },
  });
}

function propagationCells(row: Propagation): string[] {
  const { kind, calls, turns, okAtOnce, okAfterRetry, failed, abandoned, addedMs } = row;
  const classes = Object.entries(failed).map(([name, count]) => `${name} ${formatCount(count)}`);
  const failures = Object.values(failed).reduce((sum, count) => sum + count, 0);
  const counts = [calls, turns, okAtOnce, okAfterRetry, failures, abandoned].map(formatCount);
  return [kind, ...counts, addedText(addedMs), classes.join(', ')];
}

function addedText(addedMs: number | null): string {
  if (addedMs === null) return '-';
  return addedMs < 0 ? `−${formatMs(-addedMs)}` : formatMs(addedMs);
}

/** Builds the tile of the model calls per turn; empty without a model service. */
export function modelFigures(result: Result): Figure[] {
  const { model } = result;
  if (model === null || unattributedText(model) !== undefined) return [];
  if (model.callsPerTurn.mean === null || model.attempts === 0) return [];
  const { all } = model.parts;
  const detail = all === null ? '' : `model ${formatMs(all.modelMs)}, agent ${formatMs(all.agentMs)} per attempt`;
  const tile = {
    name: 'model calls per turn',
    text: formatNumber(model.callsPerTurn.mean),
    detail,
    state: 'plain',
  } as const;
  return [judgedFigure(result, ['model.callsPerTurn'], tile)];
}
