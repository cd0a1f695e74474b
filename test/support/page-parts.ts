import type { Block, Page, Section, TableBlock } from '../../src/report/page/page.ts';

/** The section of a page; throws where it has none of that id. */
export function sectionOf({ sections }: Pick<Page, 'sections'>, id: string): Section {
  const section = sections.find((each) => each.id === id);
  if (section === undefined) throw new Error(`no section ${id}, only ${sections.map((each) => each.id).join(', ')}`);
  return section;
}

type BlockOf<Type extends Block['type']> = Extract<Block, { type: Type }>;

/** The blocks of a type in a section. */
export function blocksOf<Type extends Block['type']>({ blocks }: Section, type: Type): BlockOf<Type>[] {
  return blocks.filter((block): block is BlockOf<Type> => block.type === type);
}

/** The rows of a table by their cell in a column, each as cells by the heads of the columns. */
export function rowsOf({ columns, rows }: TableBlock): (Record<string, string> & { state: string })[] {
  return rows.map(({ cells, state }) => ({
    ...Object.fromEntries(columns.map(({ head }, at) => [head, cells[at] ?? ''])),
    state,
  }));
}

/** The ids of sections and charts. */
export function idsOf({ sections }: Page): string[] {
  return sections.flatMap(({ id, blocks }) => [id, ...blocks.flatMap((block) => ('id' in block ? [block.id] : []))]);
}
