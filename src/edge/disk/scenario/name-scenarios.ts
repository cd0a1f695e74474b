import { readdirSync, realpathSync, statSync, type Stats } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import { ChatLoadError } from '../../../base/errors.ts';
import { fileReason } from '../../../base/file-reason.ts';
import { pathBelow } from '../path-below.ts';
import { codeOf } from '../unwritable.ts';
import { readScenarioDigest } from './load-scenario.ts';

/** Scenarios that a worker may execute: SHA-256 of each file by its path below the folder, with slashes. */
export type NamedScenarios = ReadonlyMap<string, string>;

const modulePattern = /\.[cm]?[jt]s$/i;

/**
 * Reads the scenarios that a command line names, by paths or by patterns that no shell has expanded. Throws a usage error
 * for a name without a module, or with a module outside of the folder, in `node_modules` or in a hidden folder, also by a
 * link.
 */
export function nameScenarios(names: readonly string[], folder: string): NamedScenarios {
  const root = resolve(folder);
  return new Map(names.flatMap((name) => filesOf(name)).map((file) => [pathBelow(file, root), pin(file, root)]));
}

function filesOf(name: string): string[] {
  if (statOf(name) !== undefined) return [name];
  const { folder, pattern } = splitPattern(name.replaceAll(sep, '/'));
  if (!picomatch.scan(pattern).isGlob) throw unusable(name, 'no such file');
  const isMeant = picomatch(pattern);
  const files = modulesBelow(folder)
    .filter((path) => isMeant(path))
    .map((path) => join(folder, path));
  if (files.length === 0) throw unusable(name, 'no module matches it');
  return files;
}

/** Splits a pattern after its existing folders, whose names may contain any characters. */
function splitPattern(name: string): { folder: string; pattern: string } {
  const parts = name.split('/');
  const folderOf = (count: number): string => parts.slice(0, count).join('/') || (name.startsWith('/') ? '/' : '.');
  let count = 0;
  while (count < parts.length - 1 && statOf(folderOf(count + 1))?.isDirectory() === true) count++;
  return { folder: folderOf(count), pattern: parts.slice(count).join('/') };
}

/** Lists modules below a folder, without hidden files and folders and `node_modules`. Does not follow links to folders. */
function modulesBelow(folder: string, above = ''): string[] {
  const isFolder = statOf(folder)?.isDirectory() === true;
  if (!isFolder) return [];
  return orUnusable(folder, () => readdirSync(folder, { withFileTypes: true }))
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .flatMap((entry) => {
      if (entry.isDirectory()) return modulesBelow(join(folder, entry.name), `${above}${entry.name}/`);
      return modulePattern.test(entry.name) ? [`${above}${entry.name}`] : [];
    })
    .toSorted();
}

/** Returns the digest of a file that may be executed. */
function pin(file: string, root: string): string {
  return orUnusable(file, () => {
    const real = realpathSync(file);
    for (const path of [pathBelow(file, root), pathBelow(real, realpathSync(root))])
      if (path.split('/').some(isHidden)) throw new Error('it is in node_modules or in a hidden folder');
    if (!statSync(real).isFile() || !modulePattern.test(real))
      throw new Error('it is not a module (.ts, .mts, .js, .mjs)');
    return readScenarioDigest(real);
  });
}

/** `throwIfNoEntry` of Node.js 22 and later also covers a path whose parent is a file. */
function statOf(path: string): Stats | undefined {
  return orUnusable(path, () => {
    try {
      return statSync(path);
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT') return undefined;
      throw thrown;
    }
  });
}

function orUnusable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw thrown instanceof ChatLoadError ? thrown : unusable(path, fileReason(thrown));
  }
}

/** Kubernetes mounts files by links through folders such as `..data`. */
const isHidden = (part: string): boolean => part === 'node_modules' || /^\.(?!\.)/.test(part);

const unusable = (name: string, reason: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `${name} cannot be a scenario of this worker: ${reason}.`,
    hint: "Name scenario files below --folder, or a pattern in quotes: chat-load worker 'scenarios/*.ts'.",
  });
