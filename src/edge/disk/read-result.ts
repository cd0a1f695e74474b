import { readFile } from 'node:fs/promises';
import { ChatLoadError, messageOf, type ErrorCode } from '../../base/errors.ts';
import { jsonText } from '../../base/json.ts';
import { resultSchema, type Result } from '../../result/result.ts';
import { migrate, newestVersion } from './migrate-result.ts';

/**
 * Reads one result. Throws a usage error that names the file when it is no result, or a broken one, and
 * `not_comparable` when it is a result of a version that this chat-load cannot read.
 */
export async function readResult(file: string): Promise<Result> {
  const parsed = parse(file, await readText(file));
  const { kind, schemaVersion } = marksOf(parsed);
  if (kind !== 'chat-load/result') throw foreign(file, kind);
  const result = resultSchema.safeParse(migrate(parsed, schemaVersion) ?? throwVersion(file, schemaVersion));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw failure('usage', {
    message: `${file} is not a whole result: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unknown'}.`,
    hint: 'It was changed after it was written, or written by an unreleased chat-load: leave it out, or measure again.',
  });
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw failure('usage', {
      message: `${file} cannot be read: ${reasonOf(thrown)}.`,
      hint: 'Name a result file, as chat-load run writes it.',
      cause: thrown,
    });
  }
}

function reasonOf(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a folder';
  return code === 'EACCES' ? 'permission is denied' : messageOf(thrown);
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const trimmed = text.trim();
    const isCut = /^[[{]/.test(trimmed) && !/[\]}]$/.test(trimmed);
    const what = trimmed === '' ? 'is empty' : isCut ? 'is cut off: its end is missing' : 'is not JSON';
    throw failure('usage', {
      message: `${file} ${what}${trimmed === '' || isCut ? '' : ` (${messageOf(thrown)})`}.`,
      hint: 'A result is written whole or not at all: it was damaged later. Leave it out, copy it again, or measure again.',
      cause: thrown,
    });
  }
}

const marksOf = (parsed: unknown): { kind?: unknown; schemaVersion?: unknown } =>
  typeof parsed === 'object' && parsed !== null ? parsed : {};

function foreign(file: string, kind: unknown): ChatLoadError {
  const isOurs = typeof kind === 'string' && kind.startsWith('chat-load/');
  const what = isOurs ? `a ${kind.slice('chat-load/'.length)} of chat-load, not a result` : 'not a result of chat-load';
  return failure('usage', {
    message: `${file} is ${what}.`,
    hint: 'Name results, as chat-load run writes them to the folder results.',
  });
}

function throwVersion(file: string, version: unknown): never {
  const isNewer = typeof version === 'number' && version > newestVersion;
  throw failure('not_comparable', {
    message: `${file} is a result of schema version ${jsonText(version) ?? 'unknown'}; this chat-load reads ${String(newestVersion)}.`,
    hint: isNewer
      ? 'It was written by a newer chat-load: upgrade this one.'
      : 'Nothing leads from that version to this one: measure again, or compare with the chat-load that wrote it.',
  });
}

const failure = (code: ErrorCode, text: { message: string; hint: string; cause?: unknown }): ChatLoadError =>
  new ChatLoadError(code, text);
