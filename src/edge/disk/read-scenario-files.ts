import { stat } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, relative, resolve, sep } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import { isObject, valueAt } from '../../base/is-object.ts';
import { readBytesSync } from '../open-file.ts';

/** A file for a worker. */
interface NamedFile {
  /** Path below the folder, with slashes. */
  path: string;
  content: Uint8Array;
}

/** A ConfigMap holds 1 MiB, including its own fields. */
const maxBytes = 1_000_000;

/** Returns the path of a scenario below a folder, with slashes: its name for coordinator and workers. Throws a usage error for other paths. */
export function pathBelow(file: string, folder: string): string {
  const path = relative(folder, resolve(folder, file)).replaceAll(sep, '/');
  if (path !== '..' && !path.startsWith('../') && resolve(folder, path) === resolve(folder, file)) return path;
  throw new ChatLoadError('usage', {
    message: `${file} is not below ${folder}.`,
    hint: 'Workers find a scenario and its data by their paths below one folder: start the command in a folder above all of them.',
  });
}

/**
 * Reads a scenario module and the data files that its default export names. Throws a usage error if they cannot be sent to
 * workers: if they are too large, not below the folder, or import other files.
 */
export async function readScenarioFiles(file: string, author: unknown, folder: string): Promise<NamedFile[]> {
  const names = [file, ...dataFilesOf(author).map((name) => resolve(dirname(resolve(folder, file)), name))];
  const paths = [...new Set(names.map((name) => pathBelow(name, folder)))];
  await requireSmall(file, paths, folder);
  const files = await Promise.all(
    paths.map(async (path) => ({ path, content: await readable(path, () => readBytesSync(resolve(folder, path))) })),
  );
  requireNoImports(files[0]);
  return files;
}

/** Returns the files of lists in `data`, of conversations in `messages`, of the trace in `load`, and of `prices`. */
function dataFilesOf(author: unknown): string[] {
  const data = valueAt(author, ['data']);
  const lists = [...(isObject(data) ? Object.values(data) : []), valueAt(author, ['messages'])];
  const single = [valueAt(author, ['load', 'trace']), valueAt(author, ['prices'])];
  const named = [...lists.map((list) => valueAt(list, ['file'])), ...single];
  return named.filter((file) => typeof file === 'string');
}

/** Checks the sizes before files are read: conversations may be many gigabytes. */
async function requireSmall(file: string, paths: readonly string[], folder: string): Promise<void> {
  const stats = await Promise.all(paths.map((path) => readable(path, () => stat(resolve(folder, path)))));
  // In base64, the longer of the two forms.
  const bytes = stats.reduce((sum, { size }) => sum + Math.ceil(size / 3) * 4, 0);
  if (bytes > maxBytes)
    throw cannotTravel(`${file} and its data files are ${(bytes / 1e6).toFixed(1)} MB; a ConfigMap holds at most 1 MB`);
}

async function readable<Read>(name: string, read: () => Read | Promise<Read>): Promise<Read> {
  try {
    return await read();
  } catch (thrown) {
    throw new ChatLoadError('usage', {
      message: `${name} cannot be read: ${fileReason(thrown)}`,
      hint: 'Name files that exist; paths of data files are relative to the scenario.',
      cause: thrown,
    });
  }
}

/** Searches the text for imports: a false match costs a remedy, a missed import a run. */
function requireNoImports(module: NamedFile | undefined): void {
  const text = Buffer.from(module?.content ?? []).toString('utf8');
  const names = [...text.matchAll(/(?:\bfrom|\bimport|\brequire)\s*\(?\s*(['"`])(.+?)\1/g)].map(
    ([, , name = '']) => name,
  );
  const missing = names.filter((name) => name !== 'chat-load' && !isBuiltin(name));
  if (missing.length > 0)
    throw cannotTravel(`${module?.path ?? ''} imports ${missing.join(', ')}, which a ConfigMap cannot include`);
}

const cannotTravel = (message: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `${message}.`,
    hint: 'Build an image with these files (docs/guides/many-machines.md), and use --scenario-from image --image NAME.',
  });
