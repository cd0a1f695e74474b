import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';
import { ChatLoadError, messageOf } from '../../../base/errors.ts';
import { fileReason } from '../../../base/file-reason.ts';
import { isObject } from '../../../base/is-object.ts';
import { conversationFile } from '../../../scenario/message-options.ts';
import { plainCopy } from '../../../scenario/plain-copy.ts';
import { traceColumns } from '../../../scenario/trace-options.ts';
import { readBytesSync, requireReadableFile } from '../../open-file.ts';
import { pathInPackage } from '../../path-in-package.ts';
import { readDataFile } from './read-data-file.ts';

/**
 * Loads a scenario module (TypeScript or JavaScript) with the data files that it names. An import of `chat-load` resolves to
 * this package, so that global installs and npx work. Returns the default export without validation; the files of `data` are
 * replaced by their rows, and conversations and traces are opened. With a digest, a file with other bytes is not executed:
 * throws a usage error that names both digests.
 */
export async function loadScenario(file: string, digest?: string): Promise<unknown> {
  return readDataFiles(await importScenario(file, digest), dirname(resolve(file)));
}

/** Loads only the default export of a scenario module, without its data files. */
async function importScenario(file: string, digest?: string): Promise<unknown> {
  const path = resolve(file);
  if (!existsSync(path))
    throw new ChatLoadError('usage', {
      message: `No scenario file at ${file}.`,
      hint: `Name the path of a scenario file. ${originOf(basename(path))}`,
    });
  return importDefault(path, file, digest);
}

/** Returns the command that writes a scenario, the shipped one of that name if it exists. */
function originOf(name: string): string {
  return existsSync(pathInPackage(`scenarios/${name}`))
    ? `chat-load init --example ${name.replace(/\.ts$/, '')} writes scenarios/${name}.`
    : 'chat-load init writes one to start from, such as scenarios/agent.ts.';
}

async function importDefault(path: string, file: string, digest: string | undefined): Promise<unknown> {
  requireLoadable(path, file);
  const bytes =
    digest !== undefined ? verifiedBytes(path, file, digest) : urlSyntax.test(path) ? readBytesSync(path) : undefined;
  // Loaded on demand: comparisons and trends load no modules.
  const { createJiti } = await import('jiti');
  const jiti = createJiti(import.meta.url, {
    alias: { 'chat-load': pathInPackage('dist/index.js') },
    moduleCache: false,
    fsCache: false,
  });
  try {
    // Compiles exactly these bytes; `import` would read the file again.
    const evaluate = (source: Buffer, filename: string): unknown =>
      jiti.evalModule(source.toString('utf8'), {
        id: path,
        filename,
        ext: extname(path),
        async: true,
        ...(urlSyntax.test(filename) && { forceTranspile: true }),
      });
    const module: unknown = await (bytes === undefined ? jiti.import(path) : evaluate(bytes, realpathSync(path)));
    return typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
  } catch (thrown) {
    throw new ChatLoadError('usage', {
      message: `${file} cannot be loaded: ${messageOf(thrown)}`,
      hint: 'Fix the file; it is loaded as an ES module written in TypeScript or JavaScript.',
      cause: thrown,
    });
  }
}

/** Characters with a meaning in URLs: jiti would pass the path of a JavaScript module to `import` as if it were a URL. */
const urlSyntax = /[%?#]/;

function requireLoadable(path: string, file: string): void {
  try {
    requireReadableFile(path);
  } catch (thrown) {
    throw new ChatLoadError('usage', {
      message: `${file} cannot be loaded: ${fileReason(thrown)}.`,
      hint: 'Name a file with a scenario in TypeScript or JavaScript.',
      cause: thrown,
    });
  }
}

function verifiedBytes(path: string, file: string, digest: string): Buffer {
  const bytes = readBytesSync(path);
  const found = scenarioDigest(bytes);
  if (found === digest) return bytes;
  throw new ChatLoadError('usage', {
    message: `${file} was changed (${shortDigest(found)}) since the worker was started (${shortDigest(digest)})`,
    hint: 'Restart the worker to use the new file. The file was not executed.',
  });
}

/** Returns a scenario with its files read, relative to a folder; other values are returned unchanged. */
export async function readDataFiles(author: unknown, folder: string): Promise<unknown> {
  const { copy, problems } = plainCopy(author);
  // Resolving the scenario reports the problems.
  if (problems.length > 0) return author;
  if (!isObject(copy)) return copy;
  return withTrace(await withConversations(await withLists(copy, folder), folder), folder);
}

type Given = Readonly<Record<string, unknown>>;

/** Replaces the file of a trace by the opened trace. */
async function withTrace(scenario: Given, folder: string): Promise<Given> {
  const { load } = scenario;
  if (!isObject(load)) return scenario;
  const { trace: file, sort } = load;
  const columns = traceColumns.optional().safeParse(load['columns']);
  // Resolving the scenario reports the problems.
  if (typeof file !== 'string' || file === '' || !columns.success) return scenario;
  const { openTrace } = await import('../trace/open-trace.ts');
  const trace = await openTrace(file, { columns: columns.data, sort: sort === true }, folder);
  return { ...scenario, load: { ...load, trace: () => trace } };
}

async function withConversations(scenario: Given, folder: string): Promise<Given> {
  const { data: read } = conversationFile.safeParse(scenario['messages']);
  if (read === undefined || read.source !== undefined) return scenario;
  // Loaded on demand, because most scenarios have no conversation file.
  const { openConversations } = await import('../dataset/open-conversations.ts');
  const source = await openConversations(resolve(folder, read.file), read);
  return { ...scenario, messages: { ...(scenario['messages'] as Given), source: () => source } };
}

async function withLists(scenario: Given, folder: string): Promise<Given> {
  if (!isObject(scenario['data'])) return scenario;
  const lists = Object.entries(scenario['data']).map(async ([name, list]) => {
    if (!isObject(list) || typeof list['file'] !== 'string') return [name, list] as const;
    const { file, ...how } = list;
    const rows = await readDataFile(resolve(folder, file), name);
    return [name, Object.keys(how).length === 0 ? rows : { rows, ...how }] as const;
  });
  return { ...scenario, data: Object.fromEntries(await Promise.all(lists)) };
}

/** Returns the SHA-256 of a scenario file, by which a worker recognizes it. Does not cover imports and data files. */
export function scenarioDigest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Reads a scenario file and returns its digest. Throws system errors. */
export function readScenarioDigest(file: string): string {
  return scenarioDigest(readBytesSync(file));
}

export function shortDigest(digest: string | null): string {
  return digest === null ? 'none' : digest.slice(0, 12);
}
