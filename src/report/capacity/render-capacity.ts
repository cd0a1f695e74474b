import type { Capacity } from '../../capacity/document/capacity.ts';
import { printable, printableTexts } from '../../base/printable.ts';
import { fittingTable } from '../words/fitting-table.ts';
import { formatMs } from '../words/format.ts';
import { paragraph } from '../words/paragraph.ts';
import type { Ending } from '../words/renderer.ts';
import type { Style } from '../words/table.ts';
import { askedFacts, foundFacts, type CapacityFact } from './capacity-facts.ts';
import { capacityVerdictLine } from './capacity-verdict-line.ts';
import { curveChart } from './curve-chart.ts';
import { outcomeWords } from './outcome-words.ts';
import { stepNotes, stepTable } from './step-table.ts';

/** Renders a search for a terminal: the answer first, then why, then the steps and the curve; the last line is its verdict. */
export function renderCapacity(document: Capacity, style: Style, { path, verdict }: Ending = {}): string {
  const capacity = printableTexts(document);
  const line = verdict ?? capacityVerdictLine(capacity);
  const sections = [
    headLines(capacity, line, style),
    factLines(foundFacts(capacity), style),
    stepLines(capacity, style),
    warningLines(capacity, style),
    curveChart(capacity, style),
    path === undefined ? line : `result    ${printable(path)}\n${line}`,
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

/** What it was and how it came out; of an outcome that is no interval what it means, and what to do. */
function headLines(capacity: Capacity, verdict: string, style: Style): string {
  const { scenario, label, elapsedMs } = capacity;
  const { colors, width } = style;
  const title = `${scenario.name}${label === null ? '' : ` (${label})`}: capacity, searched for ${formatMs(elapsedMs)}`;
  const words = outcomeWords(capacity);
  const paint = verdict.startsWith('PASSED') ? colors.green : colors.red;
  return [
    paragraph(title, { width, paint: colors.bold }),
    paragraph(verdict, { width, paint: (text) => colors.bold(paint(text)) }),
    ...(words === null
      ? []
      : [
          paragraph(words.meaning, { width, first: nameOf('means') }),
          paragraph(words.remedy, { width, first: nameOf('remedy') }),
        ]),
    factLines(askedFacts(capacity), style),
  ].join('\n');
}

const factLines = (facts: readonly CapacityFact[], { width }: Style): string =>
  facts.map(({ name, text }) => paragraph(text, { width, first: nameOf(name) })).join('\n');

const nameOf = (name: string): string => name.padEnd(10);

function stepLines(capacity: Capacity, style: Style): string {
  if (capacity.steps.length === 0) return '';
  const { columns, rows } = stepTable(capacity);
  const { text } = fittingTable(columns, rows, style);
  return [text, ...stepNotes(capacity).map((note) => paragraph(note, { width: style.width }))].join('\n');
}

function warningLines({ warnings }: Capacity, { colors, width }: Style): string {
  return warnings.map((text) => paragraph(text, { width, first: `${colors.yellow('warning')}   ` })).join('\n');
}
