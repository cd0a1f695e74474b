import { printableTexts } from '../../base/printable.ts';
import type {
  CapacityComparison,
  ComparedCapacities,
  CapacityRange,
} from '../../capacity/compare/capacity-comparison.ts';
import { rangeText } from '../../capacity/compare/describe-change.ts';
import { loadUnitTexts } from '../../capacity/words/summarize.ts';
import { sideNames } from '../../compare/document/side.ts';
import {
  comparisonWarnings,
  opponents,
  refusalText,
  verdictPaints,
  verdictWords,
} from '../comparison/comparison-words.ts';
import { heads, painted, warningWord, type OutlineTable, type Section } from '../outline/outline.ts';
import { writePage } from '../outline/write-page.ts';
import { refusalLead, refusalSection, stateOf } from '../comparison/comparison-outline.ts';
import { finite, type Page, type RangeRow, type RangesBlock } from '../page/page.ts';
import { countOf, formatNumber } from '../../base/format.ts';
import { pageOfOne, type Report } from '../outline/report.ts';
import type { JunitCase, JunitSuite } from '../words/junit.ts';
import { escapeMarkdown, markdownList } from '../words/markdown-text.ts';
import { clean } from '../words/paragraph.ts';
import { capacityComparisonLine } from '../comparison/comparison-ends.ts';
import { renderTable, type Style } from '../words/table.ts';

/** What changed between the capacities of two sides. */
export const capacityComparisonReport: Report<CapacityComparison> = {
  outline: capacityComparisonOutline,
  page: pageOfOne(viewCapacityComparison),
  junit: capacityComparisonSuite,
};

/** The sections of a comparison of capacities: the verdict first, the ranges, then every search; the last line is its verdict. */
function capacityComparisonOutline(document: CapacityComparison): Section[] {
  const comparison = printableTexts(document);
  const { verdict, summary } = comparison;
  const facts = { type: 'facts', facts: capacityComparisonFacts(comparison) } as const;
  const unit = { type: 'text', text: searchUnitText(comparison), paint: ['dim'] } as const;
  const warnings = { type: 'list', texts: comparisonWarnings(comparison), first: warningWord } as const;
  const isRefused = verdict === 'not_comparable';
  return [
    {
      on: ['terminal'],
      blocks: [
        { type: 'heading', text: `capacity: ${opponents(comparison)}` },
        {
          type: 'text',
          text: summary,
          first: [painted(verdictWords[verdict], verdictPaints[verdict], 'bold'), '  '],
          paint: ['bold'],
        },
        facts,
      ],
    },
    {
      on: ['markdown'],
      blocks: [
        { type: 'heading', text: `${verdictWords[verdict]}: capacity of ${opponents(comparison)}` },
        { type: 'text', text: summary },
      ],
    },
    refusalSection(comparison, refusalMarkdown(comparison)),
    { on: ['markdown'], blocks: [facts] },
    {
      on: ['terminal'],
      blocks: [{ type: 'made', terminal: (style) => (isRefused ? '' : rangePicture(comparison, style)) }],
    },
    { on: ['terminal', 'markdown'], blocks: [searchTable(comparison), unit] },
    {
      on: ['page'],
      page: {
        id: 'ranges',
        title: 'What each side holds',
        lead: 'A capacity is from the highest load that holds to the lowest that does not; ranges that lie apart show a change.',
      },
      blocks: [...rangeChart(comparison), searchTable(comparison)],
    },
    { on: ['terminal', 'markdown'], blocks: [warnings] },
    { on: ['terminal'], blocks: [{ type: 'made', terminal: () => capacityComparisonLine(comparison) }] },
  ];
}

function refusalMarkdown({ comparability }: CapacityComparison): string {
  const { refusals } = comparability;
  if (refusals.length === 0) return '';
  return `${refusalLead(comparability)}\n\n${markdownList(refusals.map((refusal) => escapeMarkdown(refusalText(refusal))))}`;
}

/** What was compared, under what. */
function capacityComparisonFacts(comparison: CapacityComparison): { name: string; text: string }[] {
  const { scenario, base, head, by, objectives, reason } = comparison;
  const asked = objectives.map(({ metric, condition }) => `${metric} ${condition}`).join('; ');
  const sideText = ({ label, searches, range }: ComparedCapacities): string =>
    `${label}, ${countOf(searches.length, 'search', 'searches')}: ${rangeText(range, by)}`;
  return [
    { name: 'scenario', text: scenario.name },
    { name: 'asked', text: asked },
    { name: 'base', text: sideText(base) },
    { name: 'head', text: sideText(head) },
    ...(reason === null ? [] : [{ name: 'open', text: reason }]),
  ].map(({ name, text }) => ({ name, text: clean(text) }));
}

/** Every search of both sides. */
function searchTable(comparison: CapacityComparison): OutlineTable {
  return {
    type: 'table',
    title: `Searches: ${searchUnitText(comparison)}`,
    columns: heads('side', '>holds', '>broken', 'outcome', '>turns/s/2', 'broke on/1', 'started/3', 'file/4'),
    rows: sideNames.flatMap((side) =>
      comparison[side].searches.map(({ range, outcome, objective, turnsPerSecond, startedAt, file }) => ({
        cells: [
          side,
          ...[range.holds, range.broken].map(numberText),
          outcome.replaceAll('_', ' '),
          numberText(turnsPerSecond),
          ...[objective ?? '-', startedAt, file ?? '-'].map(clean),
        ],
      })),
    ),
  };
}

const numberText = (value: number | null): string => (value === null ? '-' : formatNumber(value));

/** What the figures of that table are in. */
const searchUnitText = ({ by }: CapacityComparison): string =>
  `holds and broken in ${loadUnitTexts[by]}, as far as two steps show them`;

/** A comparison of capacities as a page: the ranges side by side, and every search. */
function viewCapacityComparison(comparison: CapacityComparison): Page {
  const notes = [`${verdictWords[comparison.verdict]}: ${comparison.summary}`, ...comparisonWarnings(comparison)];
  return writePage(
    {
      kind: 'comparison',
      title: `Capacity: ${opponents(comparison)}`,
      facts: [...capacityComparisonFacts(comparison), { name: 'chat-load', text: clean(comparison.toolVersion) }],
      verdict: {
        state: stateOf(comparison),
        sentence: capacityComparisonLine(comparison),
        notes: notes.map(clean),
      },
    },
    capacityComparisonOutline(comparison),
  );
}

/** A row a search; one without an end cannot be drawn on a scale. */
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
        margin: null,
        note: outcome.replaceAll('_', ' '),
      };
    }),
  );
  if (rows.every(({ value }) => value === null)) return [];
  return [
    {
      type: 'ranges',
      id: 'ranges',
      title: `Capacity in ${loadUnitTexts[by]}`,
      description:
        'A line is from the highest load that holds to the lowest that does not; a dot is its middle, or the only end that is known.',
      unit: by === 'rate' ? 'perSecond' : 'count',
      scale: 'log',
      reference: null,
      rows,
    },
  ];
}

/** A comparison of capacities as one JUnit case, as those of gated metrics are. */
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
  const text = [message, ...facts].join('; ');
  if (verdict === 'inconclusive' && !failOnInconclusive) return { name, end: 'skipped', text };
  return { name, end: stateOf(comparison) === 'failed' ? 'failed' : 'passed', text, message };
}

/** Both ranges below each other on one logarithmic axis: whether they lie apart is seen at once; '' where no end is known. */
function rangePicture(comparison: CapacityComparison, style: Style): string {
  const ranges = sideNames.map((side) => comparison[side].range);
  const ends = ranges.flatMap(({ holds, broken }) => [holds, broken]).filter((end) => end !== null && end > 0);
  if (ends.length === 0) return '';
  const width = Math.max(10, Math.min(60, style.width - 45));
  // Room at both sides, so that an open end is seen to go on.
  const [min, max] = [Math.min(...ends.map(Number)) / 1.15, Math.max(...ends.map(Number)) * 1.15];
  const cellOf = (load: number): number => Math.round(((width - 1) * Math.log(load / min)) / Math.log(max / min));
  const rows = sideNames.map((side) => {
    const { range } = comparison[side];
    return [side, barOf(range, width, cellOf), rangeText(range, comparison.by)];
  });
  return renderTable([{ head: 'RANGE' }, { head: '' }, { head: '' }], rows, style);
}

/** An open end goes on to the edge, with an arrow; nothing is drawn of what is not known at all. */
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
