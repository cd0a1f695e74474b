import type { OfShard } from '../../../fleet/shard-line.ts';
import type { SaidEntry } from './wire.ts';

type Kept = Pick<SaidEntry, 'number' | 'said'>;

/** Memory for what one shard has said and its coordinator has not read, in characters of JSON. */
const mostKept = 64 * 2 ** 20;

/** Characters that are sent at a time. */
const mostAtOnce = 2 ** 20;

/** Heartbeats without a new acknowledgement after which what was sent counts as lost. */
const patience = 3;

/**
 * What one shard has said, until its coordinator has read it: Redis may lose it in between. Sent in order, and again
 * from the first that was not read after `rewind`.
 */
export class Outbox {
  readonly #most: number;
  #kept: Kept[] = [];
  #size = 0;
  #last = 0;
  #sent = 0;
  #acknowledged = 0;
  #unheard = 0;
  /** Since something was last given to be sent. */
  #isRewound = false;

  constructor(most = mostKept) {
    this.#most = most;
  }

  /** Keeps what was said; `false`: there is no room, and it is lost. The end of a shard always has room. */
  add(said: OfShard): boolean {
    const text = JSON.stringify(said);
    const isEnd = said.kind === 'failed' || said.kind === 'gone';
    if (this.#size + text.length > this.#most && !isEnd) return false;
    this.#last += 1;
    this.#size += text.length;
    this.#kept.push({ number: this.#last, said: text });
    return true;
  }

  /** What is to be sent now, in order. */
  unsent(): readonly Kept[] {
    this.#isRewound = false;
    let room = mostAtOnce;
    const first = this.#sent - this.#acknowledged;
    const rest = this.#kept.slice(first);
    const fitting = rest.findIndex(({ said }) => (room -= said.length) < 0);
    return fitting === -1 ? rest : rest.slice(0, Math.max(1, fitting));
  }

  /** What was to be sent has arrived at Redis, up to this number; unless that has lost what it had meanwhile. */
  markSent(number: number): void {
    if (!this.#isRewound) this.#sent = Math.max(this.#sent, number);
  }

  /** What was sent and not read may be lost. */
  rewind(): void {
    this.#sent = this.#acknowledged;
    this.#unheard = 0;
    this.#isRewound = true;
  }

  /** The coordinator has read all up to this number, as its heartbeat says. */
  acknowledge(number: number): void {
    if (number > this.#last) return;
    if (number <= this.#acknowledged) {
      this.#wait();
      return;
    }
    const read = this.#kept.splice(0, number - this.#acknowledged);
    this.#size -= read.reduce((sum, { said }) => sum + said.length, 0);
    this.#acknowledged = number;
    this.#sent = Math.max(this.#sent, number);
    this.#unheard = 0;
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  #wait(): void {
    if (this.#sent === this.#acknowledged) return;
    this.#unheard += 1;
    if (this.#unheard >= patience) this.rewind();
  }
}
