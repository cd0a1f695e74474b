import type { Block, Figure, Page, Section, TableBlock } from '../../src/report/page/page.ts';

type Named<Type extends Block['type']> = Extract<Block, { type: Type }>;

/** The blocks of a type on a page, or in a section, in their order. */
export function blocksOf<Type extends Block['type']>(of: Page | Section, type: Type): Named<Type>[] {
  const blocks = 'sections' in of ? of.sections.flatMap((section) => section.blocks) : of.blocks;
  return blocks.filter((block): block is Named<Type> => block.type === type);
}

/** The section of a page; throws where it has none of that id. */
export function sectionOf({ sections }: Pick<Page, 'sections'>, id: string): Section {
  const section = sections.find((each) => each.id === id);
  if (section === undefined) throw new Error(`no section ${id}, only ${sections.map((each) => each.id).join(', ')}`);
  return section;
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

/** What cannot be said in JSON, by its path: numbers that are not finite, and `undefined`. */
export function unsayable(value: unknown, path = 'page'): string[] {
  if (value === undefined || (typeof value === 'number' && !Number.isFinite(value)))
    return [`${path}: ${String(value)}`];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => unsayable(inner, `${path}.${key}`));
}

/** What does not fit together in a page: anchors given twice, series without a column, columns of another length. */
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
