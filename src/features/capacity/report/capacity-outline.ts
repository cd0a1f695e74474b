import { printableTexts } from '../../../base/printable.ts';
import type { Capacity } from '../document/capacity.ts';
import type { ObjectiveSeen, Step } from '../document/step.ts';
import { breakText, figureText, loadUnitTexts, shownText, outcomeVerdicts, unshownText } from '../words/summarize.ts';
import {
  fact,
  factsOf,
  heads,
  lastSection,
  list,
  table,
  text,
  warningWord,
  type OutlineRow,
  type OutlineTable,
  type TextBlock,
  type Section,
  type Writer,
} from '../../../report/outline/outline.ts';
import { writePage } from '../../../report/outline/write-page.ts';
import type { Figure, Page } from '../../../report/page/page.ts';
import { verdictBlock } from '../../../report/run/head-section.ts';
import { formatCount, formatInstant, formatMs, formatNumber, formatRate, formatShare } from '../../../base/format.ts';
import { percentiles } from '../../../result/percentiles/percentiles.ts';
import { clean } from '../../../report/words/paragraph.ts';
import { needsText } from '../../../report/outline/too-few.ts';
import { pageOfOne, type Ending, type Report } from '../../../report/outline/report.ts';
import { renderCsv } from '../../../report/words/csv.ts';
import { doubtLegend, measuredText } from '../../../report/words/measured-text.ts';
import type { JunitSuite } from '../../../report/words/junit.ts';
import { stepColumns } from './step-text.ts';
import { requestFacts, foundFacts, shownLatency, type ShownLatency } from './capacity-facts.ts';
import { curveSection } from './curve-section.ts';
import { capacityVerdictLine, outcomeText, stepVerdictTexts } from './outcome-text.ts';

export const capacityReport: Report<Capacity> = {
  outline: capacityOutline,
  page: pageOfOne(viewCapacity),
  junit: capacitySuite,
  csv: ({ steps }) => renderCsv(stepColumns, steps),
};

/** Builds the sections of a search: answer, reasons, steps, curve, and the verdict as last line. */
export function capacityOutline(
  document: Capacity,
  { path, verdict = capacityVerdictLine(document) }: Ending,
  writer: Writer,
): Section[] {
  const capacity = printableTexts(document);
  const { scenario, label, elapsedMs, startedAt } = capacity;
  const title = `${scenario.name}${label === null ? '' : ` (${label})`}`;
  const words = outcomeText(capacity);
  const [requested, found] = [requestFacts(capacity), foundFacts(capacity)];
  const curve = curveSection(capacity);
  if (writer === 'markdown')
    return [
      {
        blocks: [
          { type: 'heading', text: verdict },
          text(`${title}, ${startedAt}`),
          ...(words === null ? [] : [text(words.meaning), text(words.remedy)]),
          { type: 'facts', facts: [...found, ...requested] },
        ],
      },
      curve,
      stepSection(capacity),
      warningSection(capacity),
    ];
  return [
    {
      blocks: [
        { type: 'heading', text: `${title}: capacity search, ${formatMs(elapsedMs)}` },
        verdictBlock(verdict),
        ...(words === null ? [] : [fact('meaning', words.meaning), fact('remedy', words.remedy)]),
        { type: 'facts', facts: requested },
      ],
    },
    { blocks: [{ type: 'facts', facts: found }] },
    stepSection(capacity),
    warningSection(capacity),
    curve,
    lastSection(verdict, path),
  ];
}

/** Builds the page of a search: answer, curve over load, objectives at the ends, steps. */
export function viewCapacity(capacity: Capacity): Page {
  const { scenario, label, startedAt, machine, toolVersion, outcome, warnings } = capacity;
  const words = outcomeText(capacity);
  const notes = [...(words === null ? [] : [words.meaning, words.remedy]), ...warnings];
  const facts = [
    ...factsOf({ scenario: scenario.name }),
    ...requestFacts(capacity),
    ...factsOf({ started: formatInstant(startedAt), machine, seed: String(scenario.seed), 'chat-load': toolVersion }),
  ];
  return writePage(
    {
      kind: 'capacity',
      title: clean(`Capacity: ${scenario.name}${label === null ? '' : ` (${label})`}`),
      facts: facts.map((each) => ({ name: each.name, text: clean(each.text) })),
      verdict: {
        state: outcomeVerdicts[outcome],
        sentence: capacityVerdictLine(capacity),
        notes: notes.map(clean),
      },
    },
    [answerSection(capacity), curveSection(capacity), objectiveSection(capacity), stepSection(capacity)],
  );
}

const warningSection = ({ warnings }: Capacity): Section => ({ blocks: [list(warnings, { first: warningWord })] });

/** Builds the table of all steps in order, with reasons for those without a clear verdict. */
function stepSection(capacity: Capacity): Section {
  return {
    details: 'Steps',
    page: {
      id: 'steps',
      title: 'Steps',
      lead: 'probe: a short step with this many concurrent sessions (live); climb: raise the load until a step fails; narrow: loads between the ends; confirm: repeat an end; recover: light load after a failed step.',
    },
    blocks: [
      stepTable(capacity),
      ...tooFewBlocks(capacity),
      ...doubtBlocks(capacity),
      list(stepNotes(capacity), { on: ['terminal', 'markdown'] }),
    ],
  };
}

/** Explains the dashes of steps with too few turns for a percentile. */
function tooFewBlocks(capacity: Capacity): TextBlock[] {
  const { metric, read } = shownLatency(capacity);
  const last = metric.replace(/^.*\./, '');
  const isFew = (name: string, readStep: (step: Step) => number | null): boolean => {
    const floor = percentiles.find((each) => each.name === name)?.floor ?? 0;
    return capacity.steps.some((step) => readStep(step) === null && step.sent < floor);
  };
  const names = [
    ...(isFew('p50', ({ figures }) => figures.turnP50Ms) ? ['p50'] : []),
    ...(isFew(last, read) ? [last] : []),
  ];
  const legend = needsText(names);
  return legend === '' ? [] : [text(legend, 'dim')];
}

/** Explains the mark of doubtful figures if the table of the steps has one. */
function doubtBlocks(capacity: Capacity): TextBlock[] {
  const isMarked = stepTable(capacity).rows.some(({ cells }) =>
    cells.some((cell) => typeof cell === 'string' && cell.startsWith('~')),
  );
  return isMarked ? [text(doubtLegend, 'dim')] : [];
}

const verdictState = (verdict: Step['verdict']): OutlineRow['state'] & string =>
  verdict === 'holds' ? 'good' : verdict === 'broken' ? 'bad' : 'doubtful';

export function stepTable(capacity: Capacity): OutlineTable {
  const { metric, read } = shownLatency(capacity);
  const latency = metric === 'turn.p95' ? 'p95' : metric;
  return table(
    'Steps',
    [
      ...heads('>step', '>load', 'purpose', 'verdict'),
      ...heads('>resolved/6', '>length/5', '>sent/3', '>turns/s', '>p50/4'),
      { head: latency.toLowerCase(), terminal: latency, align: 'right' },
      ...heads('>failed/1', '>ampl./2'),
      { head: 'why', on: ['page'] },
    ],
    capacity.steps.map((step) => ({
      cells: [...cellsOf(step, latencyText(step, { metric, read })), step.reason],
      state: verdictState(step.verdict),
    })),
  );
}

/** Formats the latency of a step; the error is known for turn.p95 only. */
const latencyText = (step: Step, { metric, read }: Pick<ShownLatency, 'metric' | 'read'>): string =>
  measuredText(read(step), metric === 'turn.p95' ? step.figures.turnP95ErrorMs : null);

function cellsOf({ figures, ...step }: Step, latency: string): string[] {
  const { turnsPerSecond, turnP50Ms, failedShare, amplification } = figures;
  return [
    String(step.number),
    formatNumber(step.load) + (step.by === undefined ? '' : ' live'),
    step.purpose,
    stepVerdictTexts[step.verdict] + (step.isSaturated ? ', sat.' : ''),
    formatMs(step.settledMs),
    formatMs(step.elapsedMs),
    formatCount(step.sent),
    turnsPerSecond === null ? '-' : formatNumber(turnsPerSecond),
    measuredText(turnP50Ms, figures.turnP50ErrorMs),
    latency,
    formatShare(failedShare),
    amplification === null ? '-' : amplification.toFixed(2),
  ];
}

/** Explains steps that neither hold nor break. */
function stepNotes({ steps }: Capacity): string[] {
  return steps
    .filter(({ verdict }) => verdict === 'undecided' || verdict === 'no_evidence')
    .map(({ number, verdict, reason }) => `step ${String(number)}, ${stepVerdictTexts[verdict]}: ${reason}`);
}

function answerSection(capacity: Capacity): Section {
  const findings = foundFacts(capacity).map((found) => [found.name, found.text]);
  return {
    page: { id: 'answer', title: 'Answer', lead: '' },
    blocks: [
      { type: 'figures', figures: answerCards(capacity) },
      table('Findings', heads('name', 'finding'), findings),
    ],
  };
}

function answerCards(capacity: Capacity): Figure[] {
  const { holds, broken, knee, by, steps } = capacity;
  const unit = loadUnitTexts[by];
  const unconfirmed = (verdict: 'holds' | 'broken'): string | undefined => {
    const text = unshownText(capacity, verdict);
    return text === undefined ? undefined : `${text}, not confirmed`;
  };
  const { figures } = steps.findLast(({ number }) => holds?.steps.includes(number)) ?? {};
  const cards: readonly (readonly [name: string, value: string, detail: string, state: Figure['state']] | undefined)[] =
    [
      holds === null
        ? ['Passes at', '-', unconfirmed('holds') ?? 'no load passed', 'bad']
        : ['Passes at', formatNumber(holds.load), `${unit}, ${shownText(holds.steps.length)}`, 'good'],
      broken === null
        ? ['Fails at', '-', unconfirmed('broken') ?? 'no load failed', 'plain']
        : ['Fails at', formatNumber(broken.load), clean(`${unit}: ${breakText(capacity)}`), 'bad'],
      knee === null
        ? undefined
        : ['Knee', formatNumber(knee.load), `${unit}, ${formatRate(knee.turnsPerSecond, 'turn')}`, 'plain'],
      figures && [
        `Throughput at ${formatNumber(holds?.load ?? NaN)}`,
        figures.turnsPerSecond === null ? '-' : formatRate(figures.turnsPerSecond, 'turn'),
        `${formatShare(figures.failedShare)} failed`,
        'plain',
      ],
    ];
  return cards.flatMap((card) => {
    if (card === undefined) return [];
    const [name, value, detail, state] = card;
    return [{ name, text: value, detail, state }];
  });
}

const objectiveColumns = heads(
  ...['>step', '>load', 'objective', 'verdict'],
  ...['>measured', '>judged share', '>95 % interval', '>limit'],
);

/** Number of rows above which a page folds the table: the findings already name the broken objective. */
const maxOpenRows = 12;

function objectiveSection({ holds, broken, steps, objectives }: Capacity): Section {
  const shown = new Set([...(holds?.steps ?? []), ...(broken?.steps ?? [])]);
  const units = new Map(objectives.map(({ metric, unit }) => [metric, unit]));
  const rows = steps
    .filter(({ number }) => shown.has(number))
    .flatMap((step) => step.objectives.map((seen) => objectiveRow(step, seen, units)));
  return {
    page: {
      id: 'objectives',
      title: 'Objectives at the ends',
      lead: 'A step passes if the upper bounds of its judged shares are under their limits, and fails if a lower bound is over its limit.',
    },
    blocks: [table('Objectives', objectiveColumns, rows, { isFolded: rows.length > maxOpenRows })],
  };
}

function objectiveRow({ number, load }: Step, seen: ObjectiveSeen, units: ReadonlyMap<string, string>): OutlineRow {
  const { metric, condition, verdict, actual, share, low, high, limit } = seen;
  const isShare = limit <= 1;
  const judged = (value: number | null): string =>
    value === null ? '-' : isShare ? formatShare(value) : formatNumber(value);
  return {
    cells: [
      String(number),
      formatNumber(load),
      clean(`${metric} ${condition}`),
      stepVerdictTexts[verdict],
      figureText(actual, units.get(metric) ?? ''),
      judged(share),
      low === null && high === null ? '-' : `${judged(low)} to ${judged(high)}`,
      judged(limit),
    ],
    state: verdictState(verdict),
  };
}

/** Builds one JUnit case, which fails or errs if there is no answer. An objective that breaks at higher load is not a failure. */
function capacitySuite(capacity: Capacity, { verdict = capacityVerdictLine(capacity) }: Ending): JunitSuite {
  const words = outcomeText(capacity);
  const facts = [...requestFacts(capacity), ...foundFacts(capacity)].map(({ name, text }) => `${name}: ${text}`);
  const message = clean(verdict);
  const inFull = clean([message, ...(words === null ? [] : [words.meaning, words.remedy]), ...facts].join('; '));
  return {
    name: `chat-load capacity ${clean(capacity.scenario.name)}`,
    startedAt: clean(capacity.startedAt),
    elapsedMs: capacity.elapsedMs,
    cases: [{ name: 'capacity', end: outcomeVerdicts[capacity.outcome], text: inFull, message }],
  };
}
