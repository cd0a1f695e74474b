import type { Block, Page, Section as PageSection } from '../page/page.ts';
import { clean } from '../words/paragraph.ts';
import { isOn, maxBarWidth, type OutlineBlock, type OutlineTable, type Section } from './outline.ts';

/** Writes the sections of a page; consecutive texts become paragraphs of one block. With `isRaw`, texts are not cleaned. */
export function writePage(
  page: Omit<Page, 'sections' | 'timelines'>,
  sections: readonly Section[],
  { timelines = [], isRaw = false }: { timelines?: Page['timelines']; isRaw?: boolean } = {},
): Page {
  const textOf = isRaw ? (text: string) => text : clean;
  const shown = sections
    .filter((section) => isOn(section, 'page'))
    .flatMap(({ page: about, blocks }): PageSection[] => {
      if (about === undefined) return [];
      const made = joinProse(blocks.filter((block) => isOn(block, 'page')).flatMap((block) => blocksOf(block, textOf)));
      return made.length === 0 ? [] : [{ ...about, blocks: made }];
    });
  return { ...page, sections: shown, timelines };
}

type TextOf = (text: string) => string;

function blocksOf(block: OutlineBlock, textOf: TextOf): readonly Block[] {
  switch (block.type) {
    case 'text':
      return prose([block.text]);
    case 'list':
      return prose(block.texts);
    case 'table':
      return tableOf(block, textOf);
    case 'made':
      return block.page?.() ?? [];
    case 'heading':
    case 'facts':
      return [];
    default:
      return [block];
  }
}

function prose(texts: readonly string[]): Block[] {
  const lines = texts.map(clean).filter((line) => line !== '');
  return lines.length === 0 ? [] : [{ type: 'prose', lines }];
}

const joinProse = (blocks: readonly Block[]): Block[] =>
  blocks.reduce<Block[]>((all, block) => {
    const last = all.at(-1);
    if (block.type !== 'prose' || last?.type !== 'prose') return [...all, block];
    return [...all.slice(0, -1), { type: 'prose', lines: [...last.lines, ...block.lines] }];
  }, []);

function tableOf({ title, columns, rows, isFolded, legend }: OutlineTable, textOf: TextOf): Block[] {
  if (rows.length === 0) return [];
  const shown = columns.map((column, index) => ({ ...column, index })).filter((column) => isOn(column, 'page'));
  return [
    {
      type: 'table',
      title,
      columns: shown.map(({ head, align = 'left', link }) => ({ head, align, ...(link !== undefined && { link }) })),
      rows: rows.map(({ cells, state = 'plain' }) => ({
        cells: shown.map(({ index }) => {
          const cell = cells[index] ?? '';
          return indented(typeof cell === 'string' ? cell : cell(maxBarWidth), textOf);
        }),
        state,
      })),
      ...(isFolded === true && { isFolded, ...(legend && { legend: textOf(legend.text) }) }),
    },
  ];
}

/** Preserves the leading spaces of subordinate rows, which a browser would collapse. */
function indented(cell: string, textOf: TextOf): string {
  const [spaces = ''] = /^ */.exec(cell) ?? [];
  return '\u00a0'.repeat(spaces.length) + textOf(cell.slice(spaces.length));
}
