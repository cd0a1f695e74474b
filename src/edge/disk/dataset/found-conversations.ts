import { z } from 'zod';
import { countUserTurns, hasRuns, type Conversation } from '../../../dataset/conversation.ts';
import { type Scanned, scanConversation } from '../../../dataset/scan-conversation.ts';
import type { IndexWriter } from '../record-index/record-index.ts';
import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../../base/json.ts';
import { readConversation } from '../../../dataset/read-conversation.ts';
import { type Blocks, isBlank, type Line, readLines } from '../lines.ts';

/** Malformed lines that are named. */
const maxListed = 20;

/** What is found in a file, one conversation after another: each goes to the index, and is counted. */
export class FoundConversations {
  /** Lines that are not empty, or rows. */
  lines = 0;
  merged = 0;
  readonly #index: IndexWriter;
  readonly #turnCounts = new Map<number, number>();
  readonly #first: { line: number; why: string }[] = [];
  #skipped = 0;

  constructor(index: IndexWriter) {
    this.#index = index;
  }

  get count(): number {
    return this.#index.count;
  }

  add(conversation: Conversation, place: Omit<ConversationRecord, 'turns'>): void {
    this.addCounted({ turns: countUserTurns(conversation), hasRuns: hasRuns(conversation) }, place);
  }

  addCounted({ turns, hasRuns: isMerged }: Scanned, place: Omit<ConversationRecord, 'turns'>): void {
    this.#turnCounts.set(turns, (this.#turnCounts.get(turns) ?? 0) + 1);
    if (isMerged) this.merged += 1;
    this.#index.add((block, at) => writeRecord(block, at, { ...place, turns }));
  }

  skip(line: number, why: string): void {
    this.#skipped += 1;
    if (this.#first.length < maxListed) this.#first.push({ line, why });
  }

  get skipped(): { lines: number; first: { line: number; why: string }[] } {
    return { lines: this.#skipped, first: this.#first };
  }

  get turnCounts(): [turns: number, conversations: number][] {
    return [...this.#turnCounts].sort(([a], [b]) => a - b);
  }
}

/** A text of JSON must fit into one string. */
export const maxLineBytes = 256 * 1024 * 1024;

/** Reads a file of one conversation a line. */
export async function findInLines(blocks: Blocks, found: FoundConversations): Promise<null> {
  for await (const lines of readLines(blocks, maxLineBytes)) for (const line of lines) takeLine(line, found);
  return null;
}

function takeLine({ number: line, offset, bytes, isLast }: Line, found: FoundConversations): void {
  if (bytes !== undefined && isBlank(bytes)) return;
  found.lines += 1;
  if (bytes === undefined) return found.skip(line, tooLong);
  if (!isUtf8(bytes)) return found.skip(line, 'it is not UTF-8');
  const place = { offset, bytes: bytes.length, line };
  // The syntax of JSON is ASCII: bytes taken as characters give the same turns and problems at twice the pace.
  const text = bytes.toString('latin1');
  const scanned = scanConversation(text);
  if (scanned !== undefined) return found.addCounted(scanned, place);
  const quick = parseText(text);
  const read = typeof quick === 'string' ? parseLine(bytes) : quick;
  if (typeof read !== 'string') found.add(read, place);
  else found.skip(line, isLast && read === 'it is not JSON' ? cutOff : read);
}

const tooLong = `it is longer than ${String(maxLineBytes / 1024 ** 2)} MB`;
const cutOff = 'it is not JSON: the file ends in the middle of it, or it is damaged';

/** The conversation of a line, or what is wrong with it, in words. */
export function parseLine(line: Buffer): Conversation | string {
  return parseText(line.toString('utf8'));
}

function parseText(text: string): Conversation | string {
  try {
    return readConversation(parseJson(text));
  } catch {
    return 'it is not JSON';
  }
}

/** What the names of indexes of conversations end with. */
export const indexSuffix = 'chat-load-index';

/** Of the format of an index, and of the rules by which a conversation is one: an index by others is made again. */
export const indexVersion = 2;

const headerSchema = z.object({
  version: z.literal(indexVersion),
  key: z.object({ size: z.int(), modified: z.string(), sample: z.string() }),
  /** Of CSV, by their numbers; `null`: JSONL. */
  columns: z
    .object({
      conversation: z.int().nullable(),
      role: z.int().nullable(),
      content: z.int(),
      count: z.int(),
      delimiter: z.string(),
    })
    .nullable(),
  /** SHA-256 of the file. */
  digest: z.string(),
  count: z.int(),
  /** That are not empty. */
  lines: z.int(),
  merged: z.int(),
  skipped: z.object({ lines: z.int(), first: z.array(z.object({ line: z.int(), why: z.string() })) }),
  turnCounts: z.array(z.tuple([z.int(), z.int()])),
});

/** What an index says of the whole file. */
export type IndexHeader = z.infer<typeof headerSchema>;

/** The header of an index; `undefined` for one of another version. */
export function readHeader(header: unknown): IndexHeader | undefined {
  return headerSchema.safeParse(header).data;
}

/** Where a conversation is in its file, and how many turns the user has in it. */
export interface ConversationRecord {
  offset: number;
  bytes: number;
  turns: number;
  /** The line on which it begins, from 1. */
  line: number;
}

export const recordBytes = 20;

function writeRecord(block: Buffer, at: number, { offset, bytes, turns, line }: ConversationRecord): void {
  block.writeUIntLE(offset, at, 6);
  block.writeUInt32LE(bytes, at + 6);
  block.writeUInt32LE(turns, at + 10);
  block.writeUIntLE(line, at + 14, 6);
}

export function readRecord(block: Buffer, at: number): ConversationRecord {
  return {
    offset: block.readUIntLE(at, 6),
    bytes: block.readUInt32LE(at + 6),
    turns: block.readUInt32LE(at + 10),
    line: block.readUIntLE(at + 14, 6),
  };
}

export function readTurns(block: Buffer, at: number): number {
  return block.readUInt32LE(at + 10);
}
