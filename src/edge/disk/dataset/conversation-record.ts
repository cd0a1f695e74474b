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
