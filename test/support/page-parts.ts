import type { Block, Figure, Page, Section, TableBlock } from '../../src/report/page/page.ts';

type Named<Type extends Block['type']> = Extract<Block, { type: Type }>;

/** Returns the blocks of a type on a page or in a section, in order. */
export function blocksOf<Type extends Block['type']>(of: Page | Section, type: Type): Named<Type>[] {
  const blocks = 'sections' in of ? of.sections.flatMap((section) => section.blocks) : of.blocks;
  return blocks.filter((block): block is Named<Type> => block.type === type);
}

/** Returns a section of a page by its id; throws if it is missing. */
export function sectionOf({ sections }: Pick<Page, 'sections'>, id: string): Section {
  const section = sections.find((each) => each.id === id);
  if (section === undefined) throw new Error(`no section ${id}, only ${sections.map((each) => each.id).join(', ')}`);
  return section;
}

/** Returns the rows of a table, each as cells by column head. */
export function rowsOf({ columns, rows }: TableBlock): (Record<string, string> & { state: string })[] {
  return rows.map(({ cells, state }) => ({
    ...Object.fromEntries(columns.map(({ head }, at) => [head, cells[at] ?? ''])),
    state,
  }));
}

/** Returns the ids of sections and charts. */
export function idsOf({ sections }: Page): string[] {
  return sections.flatMap(({ id, blocks }) => [id, ...blocks.flatMap((block) => ('id' in block ? [block.id] : []))]);
}

export function figureOf(page: Page, name: string): Figure {
  const found = blocksOf(page, 'figures')
    .flatMap(({ figures }) => figures)
    .find((figure) => figure.name === name);
  if (found === undefined) throw new Error(`there is no figure ${name}`);
  return found;
}

export function columnOf({ timelines }: Page, name: string, run = 0): readonly (number | null)[] {
  const column = timelines[run]?.columns[name];
  if (column === undefined) throw new Error(`there is no column ${name}`);
  return column;
}

/** Lists values that JSON cannot contain, by path: numbers that are not finite, and `undefined`. */
export function unsayable(value: unknown, path = 'page'): string[] {
  if (value === undefined || (typeof value === 'number' && !Number.isFinite(value)))
    return [`${path}: ${String(value)}`];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => unsayable(inner, `${path}.${key}`));
}

/** Lists inconsistencies of a page: duplicate anchors, series without a column, columns of another length. */
export function misfits(page: Page): string[] {
  const ids = idsOf(page);
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id}: twice`);
  const lost = blocksOf(page, 'time').flatMap(({ id, series }) =>
    series
      .filter(({ run, column }) => page.timelines[run]?.columns[column] === undefined)
      .map(({ column }) => `${id}: no ${column}`),
  );
  const uneven = page.timelines.flatMap(({ startMs, lengthMs, columns, heat }) =>
    Object.entries({ lengthMs, ...columns, ...heat })
      .filter(([, { length }]) => length !== startMs.length)
      .map(([name]) => `${name}: another length`),
  );
  const ragged = blocksOf(page, 'table').flatMap(({ title, columns, rows }) =>
    rows.filter(({ cells }) => cells.length !== columns.length).map(() => `${title}: a row of another width`),
  );
  return [...twice, ...lost, ...uneven, ...ragged];
}

/** Returns the tables as a page shows them: without columns that have no value in any row. */
export function shownTables(page: Page): { caption: string; rows: string[][] }[] {
  return blocksOf(page, 'table').map(({ title, rows }) => {
    const isShown = (_: string, at: number): boolean => rows.some(({ cells }) => !['', '-'].includes(cells[at] ?? ''));
    const textOf = (cell: string): string => cell.replaceAll(/\s+/g, ' ').trim();
    return { caption: title, rows: rows.map(({ cells }) => cells.filter(isShown).map(textOf)) };
  });
}
