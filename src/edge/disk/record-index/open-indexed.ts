import { closeSync, openSync } from 'node:fs';
import { indexPaths, openIndexPlace, type IndexPlace } from './index-place.ts';
import { IndexWriter, openIndex, type RecordIndex } from './record-index.ts';

/** What an index is made of and how. */
export interface IndexForm<Header> {
  /** End of the names of such indexes. */
  suffix: string;
  recordBytes: number;
  /** The header; `undefined` if it is of another file, or of another version. */
  read: (header: unknown) => Header | undefined;
  /** Refuses a file that cannot be indexed; called before a new index is made. */
  prepare: () => void | Promise<void>;
  /** Reads the file, adds its records, and returns what is said of all of them. */
  write: (writer: IndexWriter, place: IndexPlace) => Promise<Header>;
  /** The error for what was thrown while an index was made. */
  errorOf: (thrown: unknown) => unknown;
}

/** An index that is complete and of the file as it is. */
export interface OpenIndex<Header> {
  index: RecordIndex;
  header: Header;
  /** Its own open file. */
  indexFile: number;
}

/** Opens the index of a file: one that was made before, or a new one. */
export async function openIndexed<Header>(path: string, form: IndexForm<Header>): Promise<OpenIndex<Header>> {
  return findIndex(path, form) ?? (await makeIndex(path, form));
}

function findIndex<Header>(path: string, { suffix, recordBytes, read }: IndexForm<Header>) {
  for (const indexPath of indexPaths(path, suffix)) {
    const indexFile = openIfThere(indexPath);
    if (indexFile === undefined) continue;
    const index = openIndex(indexFile, recordBytes);
    const header = index && read(index.header);
    if (index !== undefined && header !== undefined) return { index, header, indexFile };
    closeSync(indexFile);
  }
  return undefined;
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}

async function makeIndex<Header>(
  path: string,
  { suffix, recordBytes, prepare, write, errorOf }: IndexForm<Header>,
): Promise<OpenIndex<Header>> {
  await prepare();
  const place = openIndexPlace(path, suffix);
  try {
    const writer = new IndexWriter(place.file, recordBytes);
    const header = await write(writer, place);
    writer.finish(header);
    const index = openIndex(place.file, recordBytes);
    if (index === undefined) throw new Error('an index that was just written cannot be read');
    place.keep();
    return { index, header, indexFile: place.file };
  } catch (thrown) {
    place.discard();
    closeSync(place.file);
    throw errorOf(thrown);
  }
}
