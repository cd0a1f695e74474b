import { fittingTable, minWidth, type Style } from '../words/table.ts';
import { paragraph } from '../words/paragraph.ts';
import {
  isOn,
  minBarWidth,
  maxBarWidth,
  type OutlineBlock,
  type OutlineColumn,
  type OutlineRow,
  type OutlineTable,
  type Paint,
  type Piece,
  type Section,
  type TextBlock,
} from './outline.ts';

/** Writes sections as text for a terminal, within the style's width. */
export function writeTerminal(sections: readonly Section[], style: Style): string {
  return sections
    .filter((section) => isOn(section, 'terminal'))
    .map(({ blocks, isTight = false, isLoose = false }) => ({
      text: drawAll(blocks, style).join(isLoose ? '\n\n' : '\n'),
      gap: isTight ? '\n' : '\n\n',
    }))
    .filter(({ text }) => text !== '')
    .map(({ text, gap }, index) => (index === 0 ? text : gap + text))
    .join('');
}

const drawAll = (blocks: readonly OutlineBlock[], style: Style): string[] =>
  blocks
    .filter((block) => isOn(block, 'terminal'))
    .map((block) => draw(block, style))
    .filter((text) => text !== '');

function draw(block: OutlineBlock, style: Style): string {
  switch (block.type) {
    case 'heading':
      return drawText({ text: block.text, paint: ['bold'] }, style);
    case 'text':
      return drawText(block, style);
    case 'facts':
      return block.facts.map(({ name, text }) => drawText({ text, first: [name.padEnd(10)] }, style)).join('\n');
    case 'list':
      return block.texts.map((text) => drawText({ ...block, text }, style)).join('\n');
    case 'made':
      return block.terminal?.(style) ?? '';
    case 'table':
      return drawTable(block, style);
    default:
      return '';
  }
}

function drawText({ text, first = [], paint = [] }: Omit<TextBlock, 'type'>, { colors, width }: Style): string {
  const painter = (paints: readonly Paint[]) => (words: string) =>
    paints.reduce((shown, each) => colors[each](shown), words);
  const pieceText = (piece: Piece): string => (typeof piece === 'string' ? piece : painter(piece.paint)(piece.text));
  return paragraph(text, { width, first: first.map(pieceText).join(''), paint: painter(paint) });
}

function drawTable(table: OutlineTable, style: Style): string {
  const { columns, rows, legend, isSplit = false } = table;
  if (rows.length === 0) return '';
  const shown = columns.map((column, index) => ({ ...column, index })).filter((column) => isOn(column, 'terminal'));
  const named = shown.map(({ max = Infinity, ...column }, at) => ({
    ...column,
    max: typeof max === 'number' ? max : max(style.width),
    head: column.terminal ?? (at === 0 ? column.head.toUpperCase() : column.head),
  }));
  const texts = rows.map(({ cells }) => shown.map(({ index }) => cells[index] ?? ''));
  const made = Math.min(maxBarWidth, Math.max(minBarWidth, style.width - takenBy(named, texts)));
  const drawn = texts.map((cells) =>
    cells.map((cell) => (typeof cell === 'string' ? cell : cell(made)).replaceAll('\u00a0', ' ')),
  );
  if (isSplit && columns.length > 2 && minWidth(named, drawn) > style.width)
    return halvesOf(table).map((half) => drawTable(half, style)).join('\n\n'); // prettier-ignore
  const { text, omitted } = fittingTable(
    named,
    drawn.map((cells, at) => paintFirst(cells, rows[at]?.paint, style)),
    style,
  );
  if (legend === undefined) return text;
  const noRoom =
    omitted.length > 0 && legend.isOmittedNamed === true ? ` Omitted for lack of space: ${omitted.join(', ')}.` : '';
  return `${text}\n${drawText({ text: legend.text + noRoom, paint: ['dim'] }, style)}`;
}

function paintFirst([first = '', ...rest]: readonly string[], paint: Paint | undefined, { colors }: Style): string[] {
  return [paint === undefined ? first : colors[paint](first), ...rest];
}

/** Splits a table into two, each with the first column and half of the others. */
function halvesOf({ columns, rows, ...table }: OutlineTable): OutlineTable[] {
  const half = 1 + Math.ceil((columns.length - 1) / 2);
  const parts = [
    [1, half],
    [half, columns.length],
  ] as const;
  return parts.map(([from, to]) => {
    const part = <Each>(all: readonly Each[]): Each[] => [...all.slice(0, 1), ...all.slice(from, to)];
    const partRows = rows.map((row): OutlineRow => ({ ...row, cells: part(row.cells) }));
    return { ...table, columns: part<OutlineColumn>(columns), rows: partRows };
  });
}

/** Returns the total width of the columns of texts, and of the gaps between all columns. */
function takenBy(heads: readonly { head: string }[], rows: readonly (readonly unknown[])[]): number {
  return heads.reduce(
    (sum, { head }, index) => {
      const texts = rows.map((cells) => cells[index]).filter((cell) => typeof cell === 'string');
      return texts.length < rows.length ? sum : sum + Math.max(head.length, ...texts.map(({ length }) => length));
    },
    2 * (heads.length - 1),
  );
}
