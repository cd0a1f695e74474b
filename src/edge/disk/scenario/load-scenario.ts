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
 * Loads a scenario module (TypeScript or JavaScript) and reads the data files that it names beside it. `chat-load`
 * inside it is this very package, so that a global or npx-only install works too. The default export is returned
 * unjudged, but for its `data` files, which are replaced by their rows, and its file of conversations, which is opened.
 * With a digest, a file with other bytes is not executed: a usage error names both digests.
 */
export async function loadScenario(file: string, digest?: string): Promise<unknown> {
  return readDataFiles(await importScenario(file, digest), dirname(resolve(file)));
}

/** The default export of a scenario module alone, with its data files still named. */
export async function importScenario(file: string, digest?: string): Promise<unknown> {
  const path = resolve(file);
  if (!existsSync(path))
    throw new ChatLoadError('usage', {
      message: `There is no scenario file at ${file}.`,
      hint: `Give the path of a scenario. ${originOf(basename(path))}`,
    });
  return importDefault(path, file, digest);
}

/** How to come by a scenario: by its name where it is a shipped one. */
function originOf(name: string): string {
  const isShipped = existsSync(pathInPackage(`scenarios/${name}`));
  return isShipped
    ? `chat-load init --example ${name.replace(/\.ts$/, '')} writes scenarios/${name}.`
    : 'chat-load init writes one to start from, such as scenarios/agent.ts.';
}

async function importDefault(path: string, file: string, digest: string | undefined): Promise<unknown> {
  requireLoadable(path, file);
  const bytes = digest === undefined ? undefined : verifiedBytes(path, { file, digest });
  // Loaded here alone: comparisons and trends load no module.
  const { createJiti } = await import('jiti');
  const jiti = createJiti(import.meta.url, {
    alias: { 'chat-load': pathInPackage('dist/index.js') },
    moduleCache: false,
    fsCache: false,
  });
  try {
    // The verified bytes themselves are compiled; a file that Node.js loads without that is read again.
    const module: unknown =
      bytes === undefined
        ? await jiti.import(path)
        : await jiti.evalModule(bytes.toString('utf8'), {
            id: path,
            filename: realpathSync(path),
            ext: extname(path),
            async: true,
          });
    return typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
  } catch (thrown) {
    throw new ChatLoadError('usage', {
      message: `${file} cannot be loaded: ${messageOf(thrown)}`,
      hint: 'Fix the file; it is loaded as an ES module written in TypeScript or JavaScript.',
      cause: thrown,
    });
  }
}

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

function verifiedBytes(path: string, { file, digest }: { file: string; digest: string }): Buffer {
  const bytes = readBytesSync(path);
  const found = scenarioDigest(bytes);
  if (found === digest) return bytes;
  throw new ChatLoadError('usage', {
    message: `${file} was changed (${shortDigest(found)}) since the worker was started (${shortDigest(digest)})`,
    hint: 'Restart the worker, so that it takes the new file. Nothing of the file was executed.',
  });
}

/**
 * The same with the rows of its `data` files in it, from a folder; a value that is not a scenario is returned
 * unchanged.
 */
export function readDataFiles(author: unknown, folder: string): Promise<unknown> {
  const { copy, problems } = plainCopy(author);
  // Settling the scenario reports what is wrong with it.
  return problems.length > 0
    ? Promise.resolve(author)
    : withDataFiles(copy, folder).then((read) => withTrace(read, folder));
}

/** With its trace opened, in the place of the file. */
async function withTrace(scenario: unknown, folder: string): Promise<unknown> {
  if (!isObject(scenario) || !isObject(scenario['load'])) return scenario;
  const { load } = scenario;
  const { trace: file, sort } = load;
  const columns = traceColumns.optional().safeParse(load['columns']);
  // Settling the scenario reports what is wrong with it.
  if (typeof file !== 'string' || file === '' || !columns.success) return scenario;
  const { openTrace } = await import('../trace/open-trace.ts');
  const trace = await openTrace(file, { columns: columns.data, sort: sort === true }, folder);
  return { ...scenario, load: { ...load, trace: () => trace } };
}

async function withDataFiles(scenario: unknown, folder: string): Promise<unknown> {
  if (!isObject(scenario)) return scenario;
  return withConversations(await withLists(scenario, folder), folder);
}

type Given = Readonly<Record<string, unknown>>;

async function withConversations(scenario: Given, folder: string): Promise<Given> {
  const { data: read } = conversationFile.safeParse(scenario['messages']);
  if (read === undefined || read.source !== undefined) return scenario;
  // Loaded here alone: most scenarios have no such file.
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

/** SHA-256 of the bytes of a scenario file, by which a worker recognizes it. Imports and data files are not covered. */
export function scenarioDigest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The same for a file. Throws what the system reports. */
export function readScenarioDigest(file: string): string {
  return scenarioDigest(readBytesSync(file));
}

/** The form in which people compare digests. */
export function shortDigest(digest: string | null): string {
  return digest === null ? 'none' : digest.slice(0, 12);
}
