import type { TraceFacts, TraceRow } from '../../../trace/trace.ts';
import type { IndexWriter } from '../record-index/record-index.ts';
import { RowGroups } from './group-rows.ts';
import { readSession, recordBytes, writeSession, writeTurn, type SessionRecord } from './index-records.ts';
import { RecordSorter, type RecordPlace } from './record-sorter.ts';

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
