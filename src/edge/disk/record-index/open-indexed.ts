import { closeSync, openSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { IndexWriter, openIndex, type RecordIndex } from './record-index.ts';
import { createHash, randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { ChatLoadError } from '../../../base/errors.ts';
import { fileReason } from '../../../base/file-reason.ts';
import { cacheFolder } from '../calibration-file.ts';
import { removeWhenEnded } from '../unwritable.ts';

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

/** An index that is being written, beside those of others who write the same. */
export interface IndexPlace {
  /** Open to write and read. */
  file: number;
  /** Its path meanwhile, unlike that of any other: what else is needed for a while may stand beside it. */
  path: string;
  /** Puts it where it is found again, in one step. */
  keep(): void;
  /** Without that. */
  discard(): void;
}

/** Where the index of a file may be, the best first: beside it, or in the cache of this user. `suffix`: what it is an index of. */
function indexPaths(path: string, suffix: string): string[] {
  const real = realpathSync(path);
  const name = createHash('sha256').update(real).digest('hex').slice(0, 24);
  return [`${real}.${suffix}`, join(cacheFolder(), `${name}.${suffix}`)];
}

/**
 * Opens a new file for an index. Where none can be kept, it is one that goes with this process. Throws an environment
 * error where nothing can be written at all.
 */
function openIndexPlace(path: string, suffix: string): IndexPlace {
  for (const kept of indexPaths(path, suffix)) {
    try {
      mkdirSync(dirname(kept), { recursive: true });
      return placeAt(kept);
    } catch {
      // The next one.
    }
  }
  try {
    return passingPlace(join(tmpdir(), temporaryName(suffix)));
  } catch (thrown) {
    throw new ChatLoadError('environment', {
      message: `There is no place for the index of ${path}: ${fileReason(thrown)}.`,
      hint: 'Make its folder writable, or name one that is in CHAT_LOAD_CACHE.',
      cause: thrown,
    });
  }
}

const temporaryName = (name: string): string => `.${name}.${String(process.pid)}-${randomBytes(6).toString('hex')}.tmp`;

function placeAt(kept: string): IndexPlace {
  const temporary = join(dirname(kept), temporaryName(basename(kept)));
  const file = openSync(temporary, 'wx+', 0o644);
  const forget = removeWhenEnded(temporary);
  const discard = (): void => {
    rmSync(temporary, { force: true });
    forget();
  };
  return {
    file,
    path: temporary,
    keep: () => {
      try {
        renameSync(temporary, kept);
      } catch {
        // It is read all the same: the next one who opens the file makes it again.
      }
      discard();
    },
    discard,
  };
}

/** A file without a name, which is gone once it is closed. */
function passingPlace(temporary: string): IndexPlace {
  const file = openSync(temporary, 'wx+', 0o600);
  rmSync(temporary);
  return { file, path: temporary, keep: () => undefined, discard: () => undefined };
}
