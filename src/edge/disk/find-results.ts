import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import { parseJson } from '../../base/json.ts';
import { resultKind } from '../../result/result.ts';
import { bytesAt, readTextOf, withPlain } from '../open-file.ts';
import { marksOf } from './parse-document.ts';

/**
 * Finds the documents of a kind, by default results, from names of files, folders and patterns: each once, sorted by
 * name. A folder stands for the documents directly in it; other documents are skipped, but damaged files are included
 * so that the reader reports them. A pattern has `*` and `?` only in its last part. Throws a usage error for a name
 * without documents.
 */
export async function findResults(names: readonly string[], kind = resultKind): Promise<string[]> {
  const found = new Map<string, string>();
  for (const name of names) for (const file of await documentsOf(name, kind)) found.set(resolve(file), file);
  return [...found.values()].toSorted();
}

/** Returns the kinds of the documents that a name stands for; damaged files have none. */
export async function kindsOf(name: string): Promise<ReadonlySet<string>> {
  const { files = [] } = (await resolveName(name)) ?? {};
  const kinds = await Promise.all(files.map((file) => kindOf(file).catch(() => undefined)));
  return new Set(kinds.filter((kind) => typeof kind === 'string'));
}

async function documentsOf(name: string, kind: string): Promise<string[]> {
  const found = await resolveName(name);
  if (found === undefined) throw nothing(`No such file or folder: ${name}.`);
  if (!found.isFolder) return found.files;
  // A damaged file may be such a document.
  const kinds = await Promise.all(found.files.map((file) => kindOf(file).catch(() => kind)));
  const documents = found.files.filter((_, at) => kinds[at] === kind);
  if (documents.length === 0) throw noResultIn(name);
  return documents;
}

/** Returns the files that the name of a folder, a file or a pattern stands for; `undefined` if it is none of these. */
async function resolveName(name: string): Promise<{ files: string[]; isFolder: boolean } | undefined> {
  const known = await stat(name).catch(() => undefined);
  if (known?.isDirectory() === true) return { files: listJson(name).map((file) => join(name, file)), isFolder: true };
  if (known !== undefined) return { files: [name], isFolder: false };
  return /[*?]/.test(name) ? { files: filesLike(name), isFolder: false } : undefined;
}

function filesLike(pattern: string): string[] {
  const folder = dirname(pattern);
  if (/[*?]/.test(folder) && !existsSync(folder))
    throw new ChatLoadError('usage', {
      message: `The pattern ${pattern} cannot be used: * and ? may be in file names only, not in folder names.`,
      hint: 'Name the folders one by one, or let the shell expand the pattern.',
    });
  // Parentheses would form a group.
  const last = basename(pattern).replaceAll(/[()\\]/g, String.raw`\$&`);
  const isMatch = picomatch(last, { nobrace: true, noextglob: true, nobracket: true, nonegate: true });
  const files = listFiles(folder).filter((name) => isMatch(name));
  if (files.length === 0) throw nothing(`No file matches ${pattern}.`);
  return files.map((file) => join(folder, file));
}

/** Documents of chat-load begin with their kind. A complete file without one is another document; throws for a damaged file. */
async function kindOf(file: string): Promise<unknown> {
  const start = withPlain(file, (open) => bytesAt(open, 0, 256)).toString('utf8');
  const kind = /^\s*\{\s*"kind":\s*"([^"]*)"/.exec(start)?.[1];
  return kind ?? marksOf(parseJson(await readTextOf(file))).kind;
}

/** Returns the usage error for a folder without results. */
export function noResultIn(folder: string): ChatLoadError {
  return nothing(`No result in the folder ${folder}.`);
}

const nothing = (message: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message,
    hint: 'Name result files, folders with results, or a pattern such as "results/peak-*.json".',
  });

/** A file in a folder. `refused`: the reason why it is not read, as a phrase after its name. */
export interface FolderFile {
  name: string;
  path: string;
  changedAtMs: number;
  bytes: number;
  /** Identifies the file and its content (`stampOf`). */
  stamp: string;
  refused: string | undefined;
}

/**
 * Lists the files in a folder whose names have a suffix. Anything but a file, and a link to a path outside of the folder, is
 * refused. Throws a usage error if the folder cannot be read.
 */
export function folderFiles(folder: string, suffix: string): FolderFile[] {
  return listFiles(folder)
    .filter((name) => name.endsWith(suffix))
    .map((name) => folderFile(folder, name));
}

/** Describes a file in a folder. `name`: without a path. */
export function folderFile(folder: string, name: string): FolderFile {
  const path = join(folder, name);
  try {
    const stamp = stampOf(path);
    const isLink = lstatSync(path).isSymbolicLink();
    const stat = statSync(path);
    const refused =
      isLink && !isWithin(folder, path)
        ? 'is a link that leads out of the folder'
        : stat.isFile()
          ? undefined
          : 'is not a file';
    return { name, path, changedAtMs: stat.mtimeMs, bytes: stat.size, stamp, refused };
  } catch (thrown) {
    return { name, path, changedAtMs: 0, bytes: 0, stamp: '', refused: `cannot be read: ${fileReason(thrown)}` };
  }
}

/** Returns a text that changes whenever the file is written or replaced. Throws system errors. */
export function stampOf(path: string): string {
  const { dev, ino, ctimeNs } = lstatSync(path, { bigint: true });
  return [dev, ino, ctimeNs].join(' ');
}

const isWithin = (folder: string, path: string): boolean =>
  realpathSync(path).startsWith(`${realpathSync(folder)}${sep}`);

/** Lists the files in a folder by name, without hidden ones, which may still be written. Throws a usage error. */
function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .toSorted();
  } catch (thrown) {
    throw new ChatLoadError('usage', {
      message: `The folder ${folder} cannot be read: ${fileReason(thrown)}.`,
      hint: 'Name the folder with results. If there are none yet, run chat-load run first.',
      cause: thrown,
    });
  }
}

export function listJson(folder: string): string[] {
  return listFiles(folder).filter((name) => name.endsWith('.json'));
}
