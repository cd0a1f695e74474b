import type { TracedStart, TracedTurn } from '../../../trace/trace.ts';
import type { RecordPlace } from './record-sorter.ts';

/**
 * The records of an index. Numbers are little-endian.
 *
 *     session   atMs f64 | lengthMs f64 | first turn u32 | turns u32
 *     turn      afterMs f64 | input u32 | output u32 | reply f32 | wait f32
 */
export const recordBytes = 24;

/** A session as the index has it. */
export interface SessionRecord extends TracedStart {
  /** The number of its first turn, from 0. */
  firstTurn: number;
}

/** "Not said" of a number of tokens; of lengths it is NaN. */
const noTokens = 0xff_ff_ff_ff;

export function writeSession({ buffer, at }: RecordPlace, session: SessionRecord): void {
  buffer.writeDoubleLE(session.atMs, at);
  buffer.writeDoubleLE(session.lengthMs, at + 8);
  buffer.writeUInt32LE(session.firstTurn, at + 16);
  buffer.writeUInt32LE(session.turns, at + 20);
}

export function readSession({ buffer, at }: RecordPlace): SessionRecord {
  return {
    atMs: buffer.readDoubleLE(at),
    lengthMs: buffer.readDoubleLE(at + 8),
    firstTurn: buffer.readUInt32LE(at + 16),
    turns: buffer.readUInt32LE(at + 20),
  };
}

export function writeTurn({ buffer, at }: RecordPlace, turn: TracedTurn): void {
  buffer.writeDoubleLE(turn.afterMs, at);
  buffer.writeUInt32LE(turn.inputTokens ?? noTokens, at + 8);
  buffer.writeUInt32LE(turn.outputTokens ?? noTokens, at + 12);
  buffer.writeFloatLE(turn.replyMs ?? NaN, at + 16);
  buffer.writeFloatLE(turn.waitMs ?? NaN, at + 20);
}

export function readTurn({ buffer, at }: RecordPlace): TracedTurn {
  return {
    afterMs: buffer.readDoubleLE(at),
    inputTokens: tokensAt(buffer, at + 8),
    outputTokens: tokensAt(buffer, at + 12),
    replyMs: lengthAt(buffer, at + 16),
    waitMs: lengthAt(buffer, at + 20),
  };
}

function tokensAt(buffer: Buffer, at: number): number | null {
  const tokens = buffer.readUInt32LE(at);
  return tokens === noTokens ? null : tokens;
}

function lengthAt(buffer: Buffer, at: number): number | null {
  const length = buffer.readFloatLE(at);
  return Number.isNaN(length) ? null : length;
}
