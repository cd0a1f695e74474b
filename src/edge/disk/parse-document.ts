import type { z } from 'zod';
import { parseJson } from '../../base/json.ts';
import { messageOf } from '../../base/errors.ts';
import { decodeLine } from './lines.ts';

/** The version of documents of every kind. */
export const documentVersion = 1;

/** Reason why a text is not the requested document. `problem` follows the name of its file. */
interface Unusable {
  why: 'damaged' | 'foreign' | 'version' | 'incomplete';
  problem: string;
  hint: string;
  /** The kind of another document of chat-load. */
  document?: string;
}

export type DocumentReading<Document> = { part: Document } | Unusable;

/** Parses the text of a document and validates its kind, version and fields; ignores unknown fields. Never throws. */
export function parseDocument<Document>(
  text: string,
  kind: string,
  schema: z.ZodType<Document>,
): DocumentReading<Document> {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch (thrown) {
    if (isJournal(text))
      return { why: 'foreign', problem: 'is the journal of a run, not its result', hint: journalHint };
    return { why: 'damaged', problem: damageOf(text.trim(), thrown), hint: damagedHint };
  }
  return checkDocument(json, kind, schema);
}

/** Validates a document that is already parsed. */
export function checkDocument<Document>(
  json: unknown,
  kind: string,
  schema: z.ZodType<Document>,
): DocumentReading<Document> {
  const { kind: own, schemaVersion } = marksOf(json);
  if (own !== kind) return foreign(own, kind);
  if (schemaVersion !== documentVersion) return wrongVersion(schemaVersion, kind);
  const checked = schema.safeParse(json);
  if (checked.success) return { part: checked.data };
  const [issue] = checked.error.issues;
  return {
    why: 'incomplete',
    problem: `is not a whole ${nameOf(kind)}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unknown'}`,
    hint: 'It was changed after it was written, or written by an unreleased chat-load: omit it, or measure again.',
  };
}

/** Returns the kind and version of a document. */
export function marksOf(json: unknown): { kind?: unknown; schemaVersion?: unknown } {
  return typeof json === 'object' && json !== null ? json : {};
}

function damageOf(text: string, thrown: unknown): string {
  if (text === '') return 'is empty';
  const isCut = /^[[{]/.test(text) && !/[\]}]$/.test(text);
  return isCut ? 'is cut off: its end is missing' : `is not JSON (${messageOf(thrown)})`;
}

/** Checks the first line. */
function isJournal(text: string): boolean {
  const [line = ''] = text.split('\n', 1);
  return marksOf(decodeLine(Buffer.from(line))?.entry).kind === 'chat-load/journal';
}

const journalHint = 'chat-load recover builds the result from it.';

const damagedHint =
  'Results are written completely or not at all, so it was damaged later. Omit it, copy it again, or measure again.';

function foreign(own: unknown, wanted: string): Unusable {
  const isOurs = typeof own === 'string' && own.startsWith('chat-load/');
  const name = nameOf(wanted);
  return {
    why: 'foreign',
    problem: isOurs ? `is a ${nameOf(own)} of chat-load, not a ${name}` : `is not a ${name} of chat-load`,
    hint: 'Name a result file: chat-load run writes them to the folder results.',
    ...(isOurs ? { document: own } : {}),
  };
}

function wrongVersion(version: unknown, kind: string): Unusable {
  const isNewer = typeof version === 'number' && version > documentVersion;
  return {
    why: 'version',
    problem: `is a ${nameOf(kind)} of schema version ${typeof version === 'number' ? String(version) : 'unknown'}; this chat-load reads ${String(documentVersion)}`,
    hint: isNewer
      ? 'It was written by a newer chat-load: upgrade this one.'
      : 'That version cannot be converted: use the chat-load that wrote it, or measure again.',
  };
}

const nameOf = (kind: string): string => kind.slice('chat-load/'.length);
