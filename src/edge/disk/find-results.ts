import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import { parseJson } from '../../base/json.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { resultKind } from '../../result/result.ts';
import { bytesAt, withPlain, readTextOf } from '../open-file.ts';
import { marksOf } from './parse-document.ts';
import { fileReason } from '../../base/file-reason.ts';

/**
 * The result files behind names of files, folders and patterns, each once, sorted by name. For a folder: the results in
 * it, not those in folders within it; other JSON documents are skipped, and damaged files are included, so
 * that the reader can name them. A pattern has `*` and `?` only in its last part. Throws a usage error for a name
 * without results.
 */
export function findResults(names: readonly string[]): Promise<string[]> {
  return findDocuments(names, resultKind);
}

/** The same for documents of another kind. */
export async function findDocuments(names: readonly string[], kind: string): Promise<string[]> {
  const found = new Map<string, string>();
  for (const name of names) for (const file of await filesBehind(name, kind)) found.set(resolve(file), file);
  return [...found.values()].toSorted();
}

/** The kinds of the documents behind a name, without those of damaged files; none where nothing is behind it. */
export async function kindsBehind(name: string): Promise<ReadonlySet<string>> {
  const { files = [] } = (await behind(name)) ?? {};
  const kinds = await Promise.all(files.map((file) => kindOf(file).catch(() => undefined)));
  return new Set(kinds.filter((kind) => typeof kind === 'string'));
}

async function filesBehind(name: string, kind: string): Promise<string[]> {
  const found = await behind(name);
  if (found === undefined) throw nothing(`There is no file or folder ${name}.`);
  if (!found.isFolder) return found.files;
  // A damaged file may be one.
  const kinds = await Promise.all(found.files.map((file) => kindOf(file).catch(() => kind)));
  const documents = found.files.filter((_, at) => kinds[at] === kind);
  if (documents.length === 0) throw noResultIn(name);
  return documents;
}

/** The files behind the name of a folder, a file or, where there is neither, a pattern; `undefined`: it is none of them. */
async function behind(name: string): Promise<{ files: string[]; isFolder: boolean } | undefined> {
  const there = await stat(name).catch(() => undefined);
  if (there?.isDirectory() === true) return { files: listJson(name).map((file) => join(name, file)), isFolder: true };
  if (there !== undefined) return { files: [name], isFolder: false };
  return /[*?]/.test(name) ? { files: filesLike(name), isFolder: false } : undefined;
}

function filesLike(pattern: string): string[] {
  const folder = dirname(pattern);
  if (/[*?]/.test(folder))
    throw new ChatLoadError('usage', {
      message: `The pattern ${pattern} cannot be used: * and ? may be in file names only, not in folder names.`,
      hint: 'Name the folders one by one, or let the shell expand the pattern.',
    });
  const isMeant = picomatch(basename(pattern), { nobrace: true, noextglob: true, nobracket: true, nonegate: true });
  const files = listFiles(folder)
    .filter((name) => isMeant(name))
    .map((file) => join(folder, file));
  if (files.length === 0) throw nothing(`No file matches ${pattern}.`);
  return files;
}

/** Our documents begin with their kind. A file without one is another document if it is complete; throws for a damaged one. */
async function kindOf(file: string): Promise<unknown> {
  const kind = /^\s*\{\s*"kind":\s*"([^"]*)"/.exec(
    withPlain(file, (open) => bytesAt(open, 0, 256)).toString('utf8'),
  )?.[1];
  return kind ?? marksOf(parseJson(await readTextOf(file))).kind;
}

/** The usage error of a folder without results. */
export function noResultIn(folder: string): ChatLoadError {
  return nothing(`There is no result in the folder ${folder}.`);
}

const nothing = (message: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message,
    hint: 'Name result files, folders with results, or a pattern such as "results/peak-*.json".',
  });

/** A file in a folder; `refused`: why it is not read, to follow its name. */
export interface FolderFile {
  name: string;
  path: string;
  changedAtMs: number;
  bytes: number;
  /** What it is, as long as nobody puts something else in its place. */
  stamp: string;
  refused: string | undefined;
}

/**
 * The files in a folder, by the end of their names, as they are now. What is no file, or a link to somewhere outside the
 * folder, is refused. Throws a usage error where the folder cannot be read.
 */
export function folderFiles(folder: string, end: string): FolderFile[] {
  return listFiles(folder)
    .filter((name) => name.endsWith(end))
    .map((name) => folderFile(folder, name));
}

/** One of them. `name` is not a path. */
export function folderFile(folder: string, name: string): FolderFile {
  const path = join(folder, name);
  try {
    const stamp = stampOf(path);
    const isLink = lstatSync(path).isSymbolicLink();
    const stat = statSync(path);
    const seen = { name, path, changedAtMs: stat.mtimeMs, bytes: stat.size, stamp };
    if (isLink && !isWithin(folder, path)) return { ...seen, refused: 'is a link that leads out of the folder' };
    return { ...seen, refused: stat.isFile() ? undefined : 'is not a file' };
  } catch (thrown) {
    return { name, path, changedAtMs: 0, bytes: 0, stamp: '', refused: `cannot be read: ${fileReason(thrown)}` };
  }
}

/** Every renaming and every writing gives another one. Throws what the system says. */
export function stampOf(path: string): string {
  const { dev, ino, ctimeNs } = lstatSync(path, { bigint: true });
  return [dev, ino, ctimeNs].join(' ');
}

/** Whether a path ends within a folder, wherever links lead. */
function isWithin(folder: string, path: string): boolean {
  return realpathSync(path).startsWith(`${realpathSync(folder)}${sep}`);
}

/** The names of the files in a folder, sorted; not the hidden ones, among which are those that are just being written. Throws a usage error. */
function listFiles(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
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

/** Those of them that are JSON by their names. */
export function listJson(folder: string): string[] {
  return listFiles(folder).filter((name) => name.endsWith('.json'));
}
