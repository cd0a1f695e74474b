import type { TracedStart, TraceFacts, TraceRow, TracedTurn } from '../../../trace/trace.ts';
import type { IndexWriter } from '../record-index/record-index.ts';
import { RecordSorter, type RecordPlace } from './record-sorter.ts';
import { hash } from 'node:crypto';

/** What an index says of its records. */
interface IndexSums {
  sessions: number;
  turns: number;
  lengthMs: number;
  endMs: number;
}

/** All that is known of a trace besides its sessions. */
export interface IndexHeader extends IndexSums {
  /** What the index was made from, in one text: another means that it is stale. */
  key: string;
  digest: string;
  facts: TraceFacts;
}

/**
 * Writes the index of a trace, in little memory, whatever the number of requests: the records of turns, session by session,
 * and behind them those of sessions by start. Requests without a session are in the order of the file.
 */
export class TraceWriter {
  readonly #out: IndexWriter;
  readonly #groups: RowGroups;
  readonly #starts: RecordSorter;
  #turns = 0;
  #sessions = 0;

  /** `path`: where files of this process may stand for a while. */
  constructor(out: IndexWriter, path: string) {
    this.#out = out;
    this.#groups = new RowGroups((run) => `${path}.rows-${String(run)}`);
    this.#starts = new RecordSorter({
      recordBytes,
      compare: compareStarts,
      spillFile: (run) => `${path}.starts-${String(run)}`,
    });
  }

  add(row: TraceRow): void {
    if (row.session !== null) this.#groups.add({ ...row, session: row.session });
    else this.#addSession(row.atMs ?? NaN, [{ ...row, afterMs: 0 }]);
  }

  /** Writes the sessions once all requests are there. Throws an `Error` for a session that cannot be played. */
  writeSessions(): IndexSums {
    for (const { atMs, turns } of this.#groups.sessions()) this.#addSession(atMs, turns);
    let origin: number | undefined;
    let [lengthMs, endMs] = [0, 0];
    for (const place of this.#starts.drain()) {
      const session = readSession(place);
      origin ??= session.atMs;
      lengthMs = session.atMs - origin;
      endMs = Math.max(endMs, lengthMs + session.lengthMs);
      this.#out.add((buffer, at) => writeSession({ buffer, at }, { ...session, atMs: lengthMs }));
    }
    return { sessions: this.#sessions, turns: this.#turns, lengthMs, endMs };
  }

  /** Removes what it took beside the index, whatever became of that. */
  dispose(): void {
    this.#groups.dispose();
    this.#starts.dispose();
  }

  #addSession(atMs: number, turns: readonly Parameters<typeof writeTurn>[1][]): void {
    const session: SessionRecord = {
      atMs,
      lengthMs: turns.at(-1)?.afterMs ?? 0,
      firstTurn: this.#turns,
      turns: turns.length,
    };
    writeSession(this.#starts.add(), session);
    for (const turn of turns) this.#out.add((buffer, at) => writeTurn({ buffer, at }, turn));
    this.#turns += turns.length;
    this.#sessions += 1;
  }
}

/** By start; those that start together in the order of the file. */
function compareStarts(a: RecordPlace, b: RecordPlace): number {
  return (
    a.buffer.readDoubleLE(a.at) - b.buffer.readDoubleLE(b.at) ||
    a.buffer.readUInt32LE(a.at + 16) - b.buffer.readUInt32LE(b.at + 16)
  );
}

/** A request whose session has others: its session's key and when it came, before its turn. */
const keyBytes = 16;

/** More turns than a scenario may have are no conversation. */
const maxTurns = 100_000;

/** Brings the requests of each session together, in little memory. Sessions are told by 64 bits of a hash of their names. */
export class RowGroups {
  readonly #sorter: RecordSorter;

  constructor(spillFile: (run: number) => string) {
    this.#sorter = new RecordSorter({ recordBytes: keyBytes + recordBytes, compare: compareKeys, spillFile });
  }

  add(row: TraceRow & { session: string }): void {
    const { buffer, at } = this.#sorter.add();
    hash('sha1', row.session, 'buffer').copy(buffer, at, 0, 8);
    buffer.writeDoubleLE(row.atMs ?? NaN, at + 8);
    writeTurn({ buffer, at: at + keyBytes }, { ...row, afterMs: 0 });
  }

  /** The sessions, in no order; the turns of each by time. Throws an `Error` for one that begins with a wait. */
  *sessions(): Generator<{ atMs: number; turns: readonly TracedTurn[] }, void> {
    const key = Buffer.alloc(8);
    let rows: ClockedTurn[] = [];
    for (const place of this.#sorter.drain()) {
      if (rows.length > 0 && !isOf(key, place)) {
        yield sessionOf(rows);
        rows = [];
      }
      if (rows.length === 0) place.buffer.copy(key, 0, place.at, place.at + 8);
      if (rows.length === maxTurns)
        throw new Error(`a session has more than ${String(maxTurns)} requests: is its column that of the sessions?`);
      rows.push({
        atMs: place.buffer.readDoubleLE(place.at + 8),
        turn: readTurn({ buffer: place.buffer, at: place.at + keyBytes }),
      });
    }
    if (rows.length > 0) yield sessionOf(rows);
  }

  dispose(): void {
    this.#sorter.dispose();
  }
}

interface ClockedTurn {
  /** NaN: it says a wait. */
  atMs: number;
  turn: TracedTurn;
}

const isOf = (key: Buffer, { buffer, at }: RecordPlace): boolean => key.compare(buffer, at, at + 8) === 0;

/** By session; the requests of one stay in the order of the file. */
function compareKeys(a: RecordPlace, b: RecordPlace): number {
  return (
    a.buffer.readUInt32LE(a.at) - b.buffer.readUInt32LE(b.at) ||
    a.buffer.readUInt32LE(a.at + 4) - b.buffer.readUInt32LE(b.at + 4)
  );
}

function sessionOf(rows: ClockedTurn[]): { atMs: number; turns: readonly TracedTurn[] } {
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

/** A session as the index has it. */
export interface SessionRecord extends TracedStart {
  /** The number of its first turn, from 0. */
  firstTurn: number;
}

/** "Not said" of a number of tokens; of lengths it is NaN. */
const noTokens = 0xff_ff_ff_ff;

function writeSession({ buffer, at }: RecordPlace, session: SessionRecord): void {
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
