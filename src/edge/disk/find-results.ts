import { closeSync, readSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import picomatch from 'picomatch';
import { ChatLoadError } from '../../base/errors.ts';
import { resultKind } from '../../result/result.ts';
import { listFiles, listJson } from './list-files.ts';
import { openPlain, readTextOf } from './open-file.ts';
import { marksOf } from './parse-document.ts';

/**
 * The result files behind names of files, folders and patterns, each once, sorted by name. For a folder: the results in
 * it, not those in folders within it; other JSON documents are skipped, and damaged files are included, so
 * that the reader can name them. A pattern has `*` and `?` only in its last part. Throws a usage error for a name
 * without results.
 */
export async function findResults(names: readonly string[]): Promise<string[]> {
  const found = new Map<string, string>();
  for (const name of names) for (const file of await filesBehind(name)) found.set(resolve(file), file);
  return [...found.values()].toSorted();
}

async function filesBehind(name: string): Promise<string[]> {
  const there = await stat(name).catch(() => undefined);
  if (there?.isDirectory() === true) return resultsIn(name);
  if (there !== undefined) return [name];
  if (/[*?]/.test(name)) return filesLike(name);
  throw nothing(`There is no file or folder ${name}.`);
}

async function resultsIn(folder: string): Promise<string[]> {
  const files = listJson(folder).map((file) => join(folder, file));
  const taken = await Promise.all(files.map(mayBeResult));
  const results = files.filter((_, at) => taken[at]);
  if (results.length === 0) throw noResultIn(folder);
  return results;
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

/** Our documents begin with their kind. A file without one is another document if it is complete, and otherwise damaged. */
async function mayBeResult(file: string): Promise<boolean> {
  try {
    const kind = /^\s*\{\s*"kind":\s*"([^"]*)"/.exec(readStart(file))?.[1];
    return (kind ?? marksOf(JSON.parse(await readTextOf(file))).kind) === resultKind;
  } catch {
    return true;
  }
}

function readStart(path: string): string {
  const file = openPlain(path);
  try {
    const room = Buffer.alloc(256);
    return room.toString('utf8', 0, readSync(file, room, 0, room.length, 0));
  } finally {
    closeSync(file);
  }
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
