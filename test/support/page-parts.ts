import type { Block, Figure, Page, Section } from '../../src/report/page/page.ts';

type Named<Type extends Block['type']> = Extract<Block, { type: Type }>;

/** The blocks of a kind, in their order. */
export function blocksOf<Type extends Block['type']>(page: Page, type: Type): Named<Type>[] {
  return page.sections.flatMap(({ blocks }) => blocks.filter((block): block is Named<Type> => block.type === type));
}

export function sectionOf(page: Page, id: string): Section {
  const found = page.sections.find((section) => section.id === id);
  if (found === undefined) throw new Error(`there is no section ${id}`);
  return found;
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
  const ids = page.sections.flatMap(({ id, blocks }) => [
    id,
    ...blocks.flatMap((each) => ('id' in each ? [each.id] : [])),
  ]);
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
