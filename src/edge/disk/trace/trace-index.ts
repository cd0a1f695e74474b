import { hash } from 'node:crypto';
import type {
  OpenedTrace,
  TracedSession,
  TracedStart,
  TracedTurn,
  TraceFacts,
  TraceInputs,
  TraceRow,
} from '../../../trace/trace.ts';
import { inputOf } from '../../../trace/input-of.ts';
import type { IndexWriter, RecordIndex } from '../record-index.ts';
import { RecordSorter, type RecordPlace } from './record-sorter.ts';

/** Sums over the records of an index. */
interface IndexSums {
  sessions: number;
  turns: number;
  lengthMs: number;
  endMs: number;
}

/** Everything about a trace except its sessions. */
export interface IndexHeader extends IndexSums {
  /** Identifies the file and the reading options: an index with another key is stale. */
  key: string;
  digest: string;
  facts: TraceFacts;
}

/** Returns a trace with an index: sessions are read from disk on demand. */
export function indexedTrace(
  file: string,
  { index, header }: { index: RecordIndex; header: IndexHeader },
): OpenedTrace {
  // Sessions follow the turns.
  const { sessions: count, turns: firstSession, lengthMs, endMs, digest, facts } = header;
  const startAt = (session: number): SessionRecord => {
    if (!(session >= 0 && session < count)) throw new RangeError(`a trace has no session ${String(session)}`);
    return index.at(firstSession + session, readSession);
  };
  const at = (session: number): TracedSession => {
    const { atMs, firstTurn, turns } = startAt(session);
    return { atMs, turns: Array.from({ length: turns }, (_, turn) => index.at(firstTurn + turn, readTurn)) };
  };
  return { file, count, lengthMs, endMs, digest, facts, startAt, at };
}

/** Bytes before the turn of a request: the key of its session and its time. */
const keyBytes = 16;

/** The limit of a scenario: a longer session is not a conversation. */
const maxTurns = 100_000;

/**
 * Writes the index of a trace in constant memory: the turns, session by session, then the sessions by start. Requests
 * without a session keep the order of the file.
 */
export class TraceWriter {
  readonly #out: IndexWriter;
  readonly #rows: RecordSorter;
  readonly #starts: RecordSorter;
  #turns = 0;
  #sessions = 0;
  readonly #inputs: TraceInputs = { whole: 0, fresh: 0 };

  /** `path`: prefix of temporary files. */
  constructor(out: IndexWriter, path: string) {
    this.#out = out;
    this.#rows = new RecordSorter({
      recordBytes: keyBytes + recordBytes,
      compare: compareKeys,
      spillFile: (run) => `${path}.rows-${String(run)}`,
    });
    this.#starts = new RecordSorter({
      recordBytes,
      compare: compareStarts,
      spillFile: (run) => `${path}.starts-${String(run)}`,
    });
  }

  add(row: TraceRow): void {
    const turn = { ...row, afterMs: 0 };
    if (row.session === null) return this.#addSession(row.atMs ?? NaN, [turn]);
    const { buffer, at } = this.#rows.add();
    // 64 bits of a hash identify a session.
    hash('sha1', row.session, 'buffer').copy(buffer, at, 0, 8);
    buffer.writeDoubleLE(row.atMs ?? NaN, at + 8);
    writeTurn(buffer, at + keyBytes, turn);
  }

  /** Writes the sessions after all requests were added. Throws an `Error` for a session that cannot be replayed. */
  writeSessions(): IndexSums & { inputs: TraceInputs } {
    for (const { atMs, turns } of this.#groups()) this.#addSession(atMs, turns);
    let origin: number | undefined;
    let [lengthMs, endMs] = [0, 0];
    for (const { buffer, at } of this.#starts.drain()) {
      const session = readSession(buffer, at);
      origin ??= session.atMs;
      lengthMs = session.atMs - origin;
      endMs = Math.max(endMs, lengthMs + session.lengthMs);
      this.#out.add((block, offset) => writeSession(block, offset, { ...session, atMs: lengthMs }));
    }
    return { sessions: this.#sessions, turns: this.#turns, lengthMs, endMs, inputs: this.#inputs };
  }

  dispose(): void {
    this.#rows.dispose();
    this.#starts.dispose();
  }

  #addSession(atMs: number, turns: readonly TracedTurn[]): void {
    const { buffer, at } = this.#starts.add();
    const lengthMs = turns.at(-1)?.afterMs ?? 0;
    writeSession(buffer, at, { atMs, lengthMs, firstTurn: this.#turns, turns: turns.length });
    const input = inputOf(turns);
    if (input !== undefined) this.#inputs[input] += 1;
    for (const turn of turns) this.#out.add((block, offset) => writeTurn(block, offset, turn));
    this.#turns += turns.length;
    this.#sessions += 1;
  }

  /** Yields the requests of each session, in any order of sessions. */
  *#groups(): Generator<TracedSession, void> {
    const key = Buffer.alloc(8);
    let rows: ClockedTurn[] = [];
    for (const { buffer, at } of this.#rows.drain()) {
      if (rows.length > 0 && key.compare(buffer, at, at + 8) !== 0) {
        yield sessionOf(rows);
        rows = [];
      }
      if (rows.length === 0) buffer.copy(key, 0, at, at + 8);
      if (rows.length === maxTurns)
        throw new Error(`a session has more than ${String(maxTurns)} requests: does its column identify sessions?`);
      rows.push({ atMs: buffer.readDoubleLE(at + 8), turn: readTurn(buffer, at + keyBytes) });
    }
    if (rows.length > 0) yield sessionOf(rows);
  }
}

/** Compares requests by session; requests of one session keep the order of the file. */
function compareKeys(a: RecordPlace, b: RecordPlace): number {
  return (
    a.buffer.readUInt32LE(a.at) - b.buffer.readUInt32LE(b.at) ||
    a.buffer.readUInt32LE(a.at + 4) - b.buffer.readUInt32LE(b.at + 4)
  );
}

/** Compares sessions by start; simultaneous ones keep the order of the file. */
function compareStarts(a: RecordPlace, b: RecordPlace): number {
  return (
    a.buffer.readDoubleLE(a.at) - b.buffer.readDoubleLE(b.at) ||
    a.buffer.readUInt32LE(a.at + 16) - b.buffer.readUInt32LE(b.at + 16)
  );
}

interface ClockedTurn {
  /** NaN: the row contains a wait instead. */
  atMs: number;
  turn: TracedTurn;
}

/** Sorts the requests of a session by time. Throws an `Error` if the first one contains a wait. */
function sessionOf(rows: ClockedTurn[]): TracedSession {
  let clock = NaN;
  for (const row of rows) {
    if (Number.isNaN(row.atMs)) row.atMs = clock + (row.turn.waitMs ?? 0);
    clock = row.atMs;
  }
  const first = rows.sort((a, b) => a.atMs - b.atMs)[0];
  if (first === undefined || Number.isNaN(first.atMs))
    throw new Error('a session begins with a delay: its first request needs a timestamp');
  return { atMs: first.atMs, turns: rows.map(({ atMs, turn }) => ({ ...turn, afterMs: atMs - first.atMs })) };
}

/**
 * The records of an index. Numbers are little-endian.
 *
 *     session   atMs f64 | lengthMs f64 | first turn u32 | turns u32
 *     turn      afterMs f64 | input u32 | output u32 | reply f32 | wait f32
 */
export const recordBytes = 24;

interface SessionRecord extends TracedStart {
  /** Number of its first turn, from 0. */
  firstTurn: number;
}

/** A missing number of tokens; a missing duration is NaN. */
const noTokens = 0xff_ff_ff_ff;

function writeSession(buffer: Buffer, at: number, session: SessionRecord): void {
  buffer.writeDoubleLE(session.atMs, at);
  buffer.writeDoubleLE(session.lengthMs, at + 8);
  buffer.writeUInt32LE(session.firstTurn, at + 16);
  buffer.writeUInt32LE(session.turns, at + 20);
}

function readSession(buffer: Buffer, at: number): SessionRecord {
  return {
    atMs: buffer.readDoubleLE(at),
    lengthMs: buffer.readDoubleLE(at + 8),
    firstTurn: buffer.readUInt32LE(at + 16),
    turns: buffer.readUInt32LE(at + 20),
  };
}

function writeTurn(buffer: Buffer, at: number, turn: TracedTurn): void {
  buffer.writeDoubleLE(turn.afterMs, at);
  buffer.writeUInt32LE(turn.inputTokens ?? noTokens, at + 8);
  buffer.writeUInt32LE(turn.outputTokens ?? noTokens, at + 12);
  buffer.writeFloatLE(turn.replyMs ?? NaN, at + 16);
  buffer.writeFloatLE(turn.waitMs ?? NaN, at + 20);
}

function readTurn(buffer: Buffer, at: number): TracedTurn {
  return {
    afterMs: buffer.readDoubleLE(at),
    inputTokens: tokensAt(buffer, at + 8),
    outputTokens: tokensAt(buffer, at + 12),
    replyMs: durationAt(buffer, at + 16),
    waitMs: durationAt(buffer, at + 20),
  };
}

function tokensAt(buffer: Buffer, at: number): number | null {
  const tokens = buffer.readUInt32LE(at);
  return tokens === noTokens ? null : tokens;
}

function durationAt(buffer: Buffer, at: number): number | null {
  const duration = buffer.readFloatLE(at);
  return Number.isNaN(duration) ? null : duration;
}
