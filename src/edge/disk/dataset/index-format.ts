import { z } from 'zod';

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

export function writeRecord(block: Buffer, at: number, { offset, bytes, turns, line }: ConversationRecord): void {
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
