import { closeSync, openSync } from 'node:fs';
import { indexPaths } from './index-place.ts';
import { openIndex, type RecordIndex } from './record-index.ts';

interface Wanted<Header> {
  suffix: string;
  recordBytes: number;
  /** The header; `undefined` where it is of another file, or of another version. */
  read: (header: unknown) => Header | undefined;
}

/** An index that is there, whole and of the file as it is. */
export interface FoundIndex<Header> {
  index: RecordIndex;
  header: Header;
  /** Its own open file. */
  indexFile: number;
}

/** Looks for an index of a file that was made before. */
export function findIndex<Header>(path: string, wanted: Wanted<Header>): FoundIndex<Header> | undefined {
  for (const indexPath of indexPaths(path, wanted.suffix)) {
    const indexFile = openIfThere(indexPath);
    if (indexFile === undefined) continue;
    const index = openIndex(indexFile, wanted.recordBytes);
    const header = index && wanted.read(index.header);
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
