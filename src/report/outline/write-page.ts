import type { Block, Page, Section as PageSection } from '../page/page.ts';
import { proseBlock } from '../page/prose-block.ts';
import { clean } from '../words/paragraph.ts';
import { isOn, mostMade, type OutlineBlock, type OutlineTable, type Section } from './outline.ts';

/** Writes the sections of a page; texts that follow each other are paragraphs of one block. */
export function writePage(page: Omit<Page, 'sections' | 'timelines'>, sections: readonly Section[]): Page {
  const shown = sections
    .filter((section) => isOn(section, 'page'))
    .flatMap(({ page: about, blocks }): PageSection[] => {
      const made = about === undefined ? [] : joinProse(blocks.flatMap(blocksOf));
      return about === undefined || made.length === 0 ? [] : [{ ...about, blocks: made }];
    });
  return { ...page, sections: shown, timelines: [] };
}

function blocksOf(block: OutlineBlock): Block[] {
  switch (block.type) {
    case 'text':
      return proseBlock([block.text]);
    case 'table':
      return tableOf(block);
    case 'heading':
    case 'facts':
    case 'warnings':
    case 'made':
      return [];
    default:
      return [block];
  }
}

const joinProse = (blocks: readonly Block[]): Block[] =>
  blocks.reduce<Block[]>((all, block) => {
    const last = all.at(-1);
    if (block.type !== 'prose' || last?.type !== 'prose') return [...all, block];
    return [...all.slice(0, -1), { type: 'prose', lines: [...last.lines, ...block.lines] }];
  }, []);

function tableOf({ title, columns, rows }: OutlineTable): Block[] {
  if (rows.length === 0) return [];
  const shown = columns.map((column, index) => ({ ...column, index })).filter((column) => isOn(column, 'page'));
  return [
    {
      type: 'table',
      title,
      columns: shown.map(({ head, align = 'left' }) => ({ head, align })),
      rows: rows.map(({ cells, state = 'plain' }) => ({
        cells: shown.map(({ index }) => {
          const cell = cells[index] ?? '';
          return clean(typeof cell === 'string' ? cell : cell(mostMade));
        }),
        state,
      })),
    },
  ];
}
