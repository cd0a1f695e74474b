import { printableTexts } from '../../../base/printable.ts';
import type { CapacityComparison, ComparedCapacities, CapacityRange } from '../compare/capacity-comparison.ts';
import { rangeText } from '../compare/describe-change.ts';
import { loadUnitTexts } from '../words/summarize.ts';
import { sideNames } from '../../../compare/document/side.ts';
import {
  comparisonWarnings,
  opponents,
  refusalText,
  verdictPaints,
  verdictLabels,
} from '../../../report/comparison/comparison-text.ts';
import {
  asIs,
  factsOf,
  heads,
  list,
  made,
  painted,
  table,
  text,
  warningWord,
  type OutlineTable,
  type Section,
} from '../../../report/outline/outline.ts';
import { writePage } from '../../../report/outline/write-page.ts';
import { refusalLead, refusalSection, stateOf } from '../../../report/comparison/comparison-outline.ts';
import { finite, type Fact, type Page, type RangeRow, type RangesBlock } from '../../../report/page/page.ts';
import { countOf, formatInstant, formatNumber } from '../../../base/format.ts';
import { pageOfOne, type Report } from '../../../report/outline/report.ts';
import type { JunitCase, JunitSuite } from '../../../report/words/junit.ts';
import { escapeMarkdown, markdownList } from '../../../report/words/markdown-text.ts';
import { clean } from '../../../report/words/paragraph.ts';
import { startLowerCase } from '../../../report/comparison/comparison-ends.ts';
import { lastLine } from '../../../report/words/last-line.ts';
import { renderTable, type Style } from '../../../report/words/table.ts';

export const capacityComparisonReport: Report<CapacityComparison> = {
  outline: capacityComparisonOutline,
  page: pageOfOne(viewCapacityComparison),
  junit: capacityComparisonSuite,
};

/** Builds the sections of a comparison of capacities: verdict, ranges, every search, and the verdict as last line. */
function capacityComparisonOutline(document: CapacityComparison): Section[] {
  const comparison = printableTexts(document);
  const { verdict, summary } = comparison;
  const facts = { type: 'facts', facts: capacityComparisonFacts(comparison) } as const;
  const word = painted(verdictLabels[verdict], verdictPaints[verdict], 'bold');
  return [
    {
      on: ['terminal'],
      blocks: [
        { type: 'heading', text: `capacity: ${opponents(comparison)}` },
        { ...text(summary, 'bold'), first: [word, '  '] },
        facts,
      ],
    },
    {
      on: ['markdown'],
      blocks: [
        { type: 'heading', text: `${verdictLabels[verdict]}: capacity of ${opponents(comparison)}` },
        text(summary),
      ],
    },
    refusalSection(comparison, refusalMarkdown(comparison)),
    { on: ['markdown'], blocks: [facts] },
    { blocks: [made((style) => (verdict === 'not_comparable' ? '' : rangePicture(comparison, style)))] },
    { on: ['terminal', 'markdown'], blocks: [searchTable(comparison), text(searchUnitText(comparison), 'dim')] },
    {
      on: ['page'],
      page: {
        id: 'ranges',
        title: 'Capacity of each side',
        lead: 'A capacity lies between the highest load that passes and the lowest that fails, each confirmed by two steps; ranges that do not overlap show a change.',
      },
      blocks: [...rangeChart(comparison), searchTable(comparison)],
    },
    { on: ['terminal', 'markdown'], blocks: [list(comparisonWarnings(comparison), { first: warningWord })] },
    { blocks: [asIs(capacityComparisonLine(comparison))] },
  ];
}

function refusalMarkdown({ comparability }: CapacityComparison): string {
  const { refusals } = comparability;
  if (refusals.length === 0) return '';
  return `${refusalLead(comparability)}\n\n${markdownList(refusals.map((refusal) => escapeMarkdown(refusalText(refusal))))}`;
}

function capacityComparisonFacts(comparison: CapacityComparison): Fact[] {
  const { scenario, base, head, by, objectives, reason } = comparison;
  const sideText = ({ label, searches, range }: ComparedCapacities): string =>
    `${label}, ${countOf(searches.length, 'search', 'searches')}: ${rangeText(range, by)}`;
  return factsOf({
    scenario: scenario.name,
    objective: objectives.map(({ metric, condition }) => `${metric} ${condition}`).join('; '),
    base: sideText(base),
    head: sideText(head),
    undecided: reason,
  }).map((each) => ({ name: each.name, text: clean(each.text) }));
}

function searchTable(comparison: CapacityComparison): OutlineTable {
  return table(
    'Searches',
    heads('side', '>passes at', '>fails at', 'outcome', '>turns/s/2', 'failed on/1', 'started/3', 'file/4'),
    sideNames.flatMap((side) =>
      comparison[side].searches.map(({ range, outcome, objective, turnsPerSecond, startedAt, file }) => [
        side,
        ...[range.holds, range.broken].map(numberText),
        outcome.replaceAll('_', ' '),
        numberText(turnsPerSecond),
        ...[objective ?? '-', formatInstant(startedAt), file ?? '-'].map(clean),
      ]),
    ),
  );
}

const numberText = (value: number | null): string => (value === null ? '-' : formatNumber(value));

const searchUnitText = ({ by }: CapacityComparison): string =>
  `passes at and fails at in ${loadUnitTexts[by]}, each confirmed by two steps`;

function viewCapacityComparison(comparison: CapacityComparison): Page {
  return writePage(
    {
      kind: 'comparison',
      title: `Capacity: ${opponents(comparison)}`,
      facts: [...capacityComparisonFacts(comparison), { name: 'chat-load', text: clean(comparison.toolVersion) }],
      verdict: {
        state: stateOf(comparison),
        sentence: capacityComparisonLine(comparison),
        notes: comparisonWarnings(comparison).map(clean),
      },
    },
    capacityComparisonOutline(comparison),
  );
}

/** Draws the ranges, one row per search; a search without any end cannot be drawn. */
function rangeChart(comparison: CapacityComparison): RangesBlock[] {
  const { by } = comparison;
  const rows = sideNames.flatMap((side) =>
    comparison[side].searches.map(({ range, outcome }, index): RangeRow => {
      const [low, high] = [finite(range.holds), finite(range.broken)];
      const name = comparison[side].searches.length === 1 ? side : `${side} ${String(index + 1)}`;
      return {
        label: clean(`${name}, ${comparison[side].label}`),
        tone: side,
        value: low !== null && high !== null ? Math.sqrt(low * high) : (low ?? high),
        low,
        high,
        ...(low === null || high === null ? { open: low === null ? ('low' as const) : ('high' as const) } : {}),
        margin: null,
        note: outcome === 'found' ? '' : outcome.replaceAll('_', ' '),
      };
    }),
  );
  if (rows.every(({ value }) => value === null)) return [];
  const title = `Capacity in ${loadUnitTexts[by]}`;
  const description =
    'A line spans from the highest load that passes to the lowest that fails; the dot is its middle, or the only known end; an arrow leads to an unknown one.';
  const unit = by === 'rate' ? 'perSecond' : 'count';
  return [{ type: 'ranges', id: 'ranges', title, description, unit, scale: 'log', reference: null, rows }];
}

function capacityComparisonSuite(comparison: CapacityComparison): JunitSuite {
  const starts = comparison.head.searches.map(({ startedAt }) => startedAt).toSorted();
  return {
    name: `chat-load compare ${clean(comparison.scenario.name)}`,
    startedAt: clean(starts[0] ?? ''),
    elapsedMs: 0,
    cases: [caseOf(comparison)],
  };
}

function caseOf(comparison: CapacityComparison): JunitCase {
  const { comparability, summary, verdict, failOnInconclusive } = comparison;
  const name = 'capacity';
  const message = clean(summary);
  if (verdict === 'not_comparable')
    return { name, end: 'invalid', text: comparability.refusals.map(refusalText).join('; '), message };
  const facts = capacityComparisonFacts(comparison).map((fact) => `${fact.name}: ${fact.text}`);
  const inFull = [message, ...facts].join('; ');
  if (verdict === 'inconclusive' && !failOnInconclusive) return { name, end: 'skipped', text: inFull };
  return { name, end: stateOf(comparison) === 'failed' ? 'failed' : 'passed', text: inFull, message };
}

/** Draws both ranges on a common logarithmic axis; '' if no end is known. */
function rangePicture(comparison: CapacityComparison, style: Style): string {
  const ranges = sideNames.map((side) => comparison[side].range);
  const ends = ranges.flatMap(({ holds, broken }) => [holds, broken]).filter((end) => end !== null && end > 0);
  if (ends.length === 0) return '';
  const width = Math.max(10, Math.min(60, style.width - 45));
  // Leave room on both sides for the arrows of open ends.
  const [min, max] = [Math.min(...ends.map(Number)) / 1.15, Math.max(...ends.map(Number)) * 1.15];
  const cellOf = (load: number): number => Math.round(((width - 1) * Math.log(load / min)) / Math.log(max / min));
  const rows = sideNames.map((side) => {
    const { range } = comparison[side];
    return [side, barOf(range, width, cellOf), rangeText(range, comparison.by)];
  });
  return renderTable([{ head: 'RANGE' }, { head: '' }, { head: '' }], rows, style);
}

/** Draws a range; an open end extends to the edge with an arrow, an unknown range is empty. */
function barOf({ holds, broken }: CapacityRange, width: number, cellOf: (load: number) => number): string {
  if (holds === null && broken === null) return '';
  const from = holds === null || holds <= 0 ? 0 : cellOf(holds);
  const to = broken === null ? width - 1 : cellOf(broken);
  const cells: string[] = Array.from({ length: width }, (_, at) =>
    at < from || at > to ? ' ' : at === from || at === to ? '┃' : '━',
  );
  if (holds === null) cells[0] = '◀';
  if (broken === null) cells[width - 1] = '▶';
  return cells.join('');
}

/** Returns the last line of a capacity comparison, in the form of `comparisonVerdictLine`. */
export function capacityComparisonLine(comparison: CapacityComparison): string {
  const { verdict, failOnInconclusive, comparability } = comparison;
  const why = startLowerCase(comparison.summary);
  if (verdict === 'not_comparable')
    return lastLine('INVALID', `${why}: ${comparability.refusals.map(({ message }) => clean(message)).join('; ')}`);
  if (verdict === 'inconclusive' && !failOnInconclusive) return lastLine('INCONCLUSIVE', why);
  return lastLine(verdict === 'regressed' || verdict === 'inconclusive' ? 'FAILED' : 'PASSED', why);
}
