import { closeSync } from 'node:fs';
import type { OpenedTrace, TracedSession, TracedStart, TracedTurn, TraceFacts } from '../../../trace/trace.ts';
import type { OpenIndex } from '../record-index/open-indexed.ts';
import type { RecordIndex } from '../record-index/record-index.ts';
import { type IndexHeader, readSession, readTurn, type SessionRecord } from './write-index.ts';

/** A trace by its index: sessions are read from the disk when they are asked for. */
export class IndexedTrace implements OpenedTrace {
  readonly file: string;
  readonly count: number;
  readonly lengthMs: number;
  readonly endMs: number;
  readonly digest: string;
  readonly facts: TraceFacts;
  readonly #records: RecordIndex;
  /** Sessions come behind the turns. */
  readonly #firstSession: number;

  /** Takes the index: its file is closed when nothing refers to the trace any more. */
  constructor(file: string, { index, header, indexFile }: OpenIndex<IndexHeader>) {
    this.file = file;
    this.count = header.sessions;
    this.lengthMs = header.lengthMs;
    this.endMs = header.endMs;
    this.digest = header.digest;
    this.facts = header.facts;
    this.#records = index;
    this.#firstSession = header.turns;
    descriptors.register(this, indexFile);
  }

  startAt(index: number): TracedStart {
    return this.#session(index);
  }

  at(index: number): TracedSession {
    const { atMs, firstTurn, turns } = this.#session(index);
    return { atMs, turns: Array.from({ length: turns }, (_, turn) => this.#turn(firstTurn + turn)) };
  }

  #session(index: number): SessionRecord {
    if (!(index >= 0 && index < this.count)) throw new RangeError(`a trace has no session ${String(index)}`);
    return this.#records.at(this.#firstSession + index, (buffer, at) => readSession({ buffer, at }));
  }

  #turn(index: number): TracedTurn {
    return this.#records.at(index, (buffer, at) => readTurn({ buffer, at }));
  }
}

const descriptors = new FinalizationRegistry<number>((descriptor) => {
  closeSync(descriptor);
});
