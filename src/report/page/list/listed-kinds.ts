import type { z } from 'zod';
import { Contributions } from '../../../base/contributions.ts';
import type { Kind } from '../../documents.ts';
import type { ListedDocument, ListRow } from './list.ts';

export type RowLocation = Pick<ListRow, 'id' | 'folder' | 'file'>;

/** Kind of document besides results that the list of results shows. */
export interface ListedKind<Part> extends ListedDocument {
  kind: Kind;
  /** Loads the schema of the fields that a row shows, and the function that builds the row. */
  load: () => Promise<RowBuilder<Part>>;
}

export interface RowBuilder<Part> {
  schema: z.ZodType<Part>;
  view: (place: RowLocation, part: Part) => ListRow;
}

/** Makes a listed kind one of a list of kinds with other parts. */
export function listedKind<Part>(kind: ListedKind<Part>): ListedKind<never> {
  return kind as unknown as ListedKind<never>;
}

export const listedKinds = new Contributions<ListedKind<never>>();

const result: ListedDocument = { name: 'result', singular: 'result', plural: 'results', suffix: '' };

/** Returns the kinds of documents that a list may contain, results first. */
export function listedDocuments(): ListedDocument[] {
  return [result, ...listedKinds.all.map(({ name, singular, plural, suffix }) => ({ name, singular, plural, suffix }))];
}
