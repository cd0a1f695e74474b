import { hash } from 'node:crypto';
import type { TracedTurn, TraceRow } from '../../../trace/trace.ts';
import { readTurn, recordBytes, writeTurn } from './index-records.ts';
import { RecordSorter, type RecordPlace } from './record-sorter.ts';

/** A request whose session has others: its session's key and when it came, before its turn. */
const keyBytes = 16;

/** More turns than a scenario may have are no conversation. */
const mostTurns = 100_000;

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
      if (rows.length === mostTurns)
        throw new Error(`a session has more than ${String(mostTurns)} requests: is its column that of the sessions?`);
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
