import { fittingTable } from '../words/fitting-table.ts';
import { paragraph } from '../words/paragraph.ts';
import type { Style } from '../words/table.ts';
import { isOn, leastMade, mostMade, type OutlineBlock, type OutlineTable, type Section } from './outline.ts';

/** Writes sections as text for a terminal, within the style's width. */
export function writeTerminal(sections: readonly Section[], style: Style): string {
  return sections
    .filter((section) => isOn(section, 'terminal'))
    .map(({ blocks, isTight = false }) => ({ text: drawAll(blocks, style), gap: isTight ? '\n' : '\n\n' }))
    .filter(({ text }) => text !== '')
    .map(({ text, gap }, index) => (index === 0 ? text : gap + text))
    .join('');
}

const drawAll = (blocks: readonly OutlineBlock[], style: Style): string =>
  blocks
    .map((block) => draw(block, style))
    .filter((text) => text !== '')
    .join('\n');

function draw(block: OutlineBlock, style: Style): string {
  const { colors, width } = style;
  switch (block.type) {
    case 'heading':
      return paragraph(block.text, { width, paint: colors.bold });
    case 'text': {
      const { name = '', namePaint = [], paint } = block;
      const word = name.trimEnd();
      const first = namePaint.reduce((text, each) => colors[each](text), word) + name.slice(word.length);
      return paragraph(block.text, { width, first, ...(paint === undefined ? {} : { paint: colors[paint] }) });
    }
    case 'facts':
      return block.facts.map(({ name, text }) => paragraph(text, { width, first: name.padEnd(10) })).join('\n');
    case 'warnings':
      return block.texts.map((text) => paragraph(text, { width, first: `${colors.yellow('warning')}   ` })).join('\n');
    case 'made':
      return block.terminal?.(style) ?? '';
    case 'table':
      return drawTable(block, style);
    default:
      return '';
  }
}

function drawTable({ columns, rows }: OutlineTable, style: Style): string {
  if (rows.length === 0) return '';
  const shown = columns.map((column, index) => ({ ...column, index })).filter((column) => isOn(column, 'terminal'));
  const heads = shown.map((column, at) => (at === 0 ? { ...column, head: column.head.toUpperCase() } : column));
  const texts = rows.map(({ cells }) => shown.map(({ index }) => cells[index] ?? ''));
  const room = style.width - takenBy(heads, texts);
  const made = Math.min(mostMade, Math.max(leastMade, room));
  const drawn = texts.map((cells) => cells.map((cell) => (typeof cell === 'string' ? cell : cell(made))));
  return fittingTable(heads, drawn, style).text;
}

/** The width of the columns of texts, and of the gaps between all columns. */
function takenBy(heads: readonly { head: string }[], rows: readonly (readonly unknown[])[]): number {
  return heads.reduce(
    (sum, { head }, index) => {
      const texts = rows.map((cells) => cells[index]).filter((cell) => typeof cell === 'string');
      return texts.length < rows.length ? sum : sum + Math.max(head.length, ...texts.map(({ length }) => length));
    },
    2 * (heads.length - 1),
  );
}
