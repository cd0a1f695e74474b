import type { Capacity } from '../../capacity/document/capacity.ts';
import { codeMarkdown, escapeMarkdown, markdownDetails, markdownList, markdownTable } from '../words/markdown-text.ts';
import type { Ending } from '../words/renderer.ts';
import type { Style } from '../words/table.ts';
import { formatMs, formatNumber } from '../words/format.ts';
import { loadUnitTexts } from '../../capacity/words/load-text.ts';
import { bar } from '../words/bar.ts';
import { askedFacts, foundFacts, shownLatency, type CapacityFact } from './capacity-facts.ts';
import { capacityVerdictLine } from './capacity-verdict-line.ts';
import { curveRows } from './curve-rows.ts';
import { outcomeWords } from './outcome-words.ts';
import { stepNotes, stepTable } from './step-table.ts';

/** Renders a search as Markdown: the answer, why, and the curve; the steps to be opened. */
export function renderCapacityMarkdown(
  capacity: Capacity,
  _: Style,
  { verdict = capacityVerdictLine(capacity) }: Ending,
): string {
  const { scenario, label, startedAt, warnings } = capacity;
  const words = outcomeWords(capacity);
  const title = `${scenario.name}${label === null ? '' : ` (${label})`}, ${startedAt}`;
  const sections = [
    `### ${escapeMarkdown(verdict)}`,
    escapeMarkdown(title),
    ...(words === null ? [] : [words.meaning, words.remedy].map(escapeMarkdown)),
    factList([...foundFacts(capacity), ...askedFacts(capacity)]),
    curveSection(capacity),
    stepSection(capacity),
    markdownList(warnings.map(escapeMarkdown)),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

const factList = (facts: readonly CapacityFact[]): string =>
  markdownList(facts.map(({ name, text }) => `**${name}** ${escapeMarkdown(text)}`));

const barWidth = 20;

function curveSection(capacity: Capacity): string {
  const rows = curveRows(capacity);
  if (rows.length === 0) return '';
  const most = Math.max(...rows.map(({ turnsPerSecond }) => turnsPerSecond ?? 0));
  const right = 'right' as const;
  const columns = [
    { head: loadUnitTexts[capacity.by], align: right },
    { head: 'turns/s', align: right },
    { head: 'throughput' },
    { head: escapeMarkdown(shownLatency(capacity).metric), align: right },
    { head: 'verdict' },
  ];
  const cells = rows.map(({ load, turnsPerSecond, latencyMs, verdict, marks }) => [
    formatNumber(load),
    turnsPerSecond === null ? '\\-' : formatNumber(turnsPerSecond),
    codeMarkdown(bar({ share: most === 0 ? 0 : (turnsPerSecond ?? 0) / most, width: barWidth }).trimEnd()),
    escapeMarkdown(formatMs(latencyMs)),
    marks.length === 0 ? verdict : `**${[verdict, ...marks.filter((mark) => mark !== verdict)].join(', ')}**`,
  ]);
  return markdownTable(columns, cells);
}

function stepSection(capacity: Capacity): string {
  if (capacity.steps.length === 0) return '';
  const { columns, rows } = stepTable(capacity);
  const heads = columns.map(({ head, align = 'left' }) => ({ head: escapeMarkdown(head.toLowerCase()), align }));
  const table = markdownTable(
    heads,
    rows.map((row) => row.map(escapeMarkdown)),
  );
  const notes = markdownList(stepNotes(capacity).map(escapeMarkdown));
  return markdownDetails('Steps', notes === '' ? table : `${table}\n\n${notes}`);
}
