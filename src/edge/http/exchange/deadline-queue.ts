import { instant, type Clock, type Instant, type Ms } from '../../../base/time.ts';

/** List entry of one owner, which is in at most one list at a time. */
export class DueEntry<Owner> {
  readonly owner: Owner;
  /** The list that contains it. */
  list: DeadlineQueue<Owner> | undefined;
  due: Instant = instant(0);
  before: DueEntry<Owner> | undefined;
  after: DueEntry<Owner> | undefined;

  constructor(owner: Owner) {
    this.owner = owner;
  }
}

/**
 * Entries that expire, the next one first. They share one timer, which does not change when an entry is added and
 * removed before it is due: it fires at the earliest instant that was set, and is then set to the next one. Adding is
 * fast because due instants are the current time plus a constant, and therefore ascending.
 */
export class DeadlineQueue<Owner> {
  first: DueEntry<Owner> | undefined;
  last: DueEntry<Owner> | undefined;
  readonly #clock: Clock;
  readonly #expire: (owner: Owner) => void;
  #wakesAt: Instant | undefined;
  #cancel: () => void = () => undefined;

  /** `expire` is called for an entry that was removed because it was due. */
  constructor(clock: Clock, expire: (owner: Owner) => void) {
    this.#clock = clock;
    this.#expire = expire;
  }

  add(entry: DueEntry<Owner>, due: Instant): void {
    let before = this.last;
    while (before !== undefined && before.due > due) before = before.before;
    const after = before === undefined ? this.first : before.after;
    entry.list = this;
    entry.due = due;
    entry.before = before;
    entry.after = after;
    if (before === undefined) this.first = entry;
    else before.after = entry;
    if (after === undefined) this.last = entry;
    else after.before = entry;
    if (this.#wakesAt === undefined || due < this.#wakesAt) this.#wakeAt(due);
  }

  /** Does nothing for an entry of another list. */
  remove(entry: DueEntry<Owner>): void {
    if (entry.list !== this) return;
    const { before, after } = entry;
    if (before === undefined) this.first = after;
    else before.after = after;
    if (after === undefined) this.last = before;
    else after.before = before;
    entry.list = undefined;
    entry.before = undefined;
    entry.after = undefined;
  }

  stop(): void {
    this.#cancel();
    this.#wakesAt = undefined;
  }

  #wakeAt(at: Instant): void {
    this.#cancel();
    this.#wakesAt = at;
    // If the generator itself was late, data that arrived meanwhile is read first, because the service did not cause
    // the delay.
    const expireAfterReading = (): void => {
      const immediate = setImmediate(() => this.#expireDue());
      this.#cancel = () => clearImmediate(immediate);
    };
    this.#cancel = this.#clock.wakeAt(at, expireAfterReading);
  }

  #expireDue(): void {
    this.#wakesAt = undefined;
    const now = this.#clock.now();
    while (this.first !== undefined && this.first.due <= now) {
      const { first } = this;
      this.remove(first);
      this.#expire(first.owner);
    }
    if (this.first !== undefined) this.#wakeAt(this.first.due);
  }
}

/** Progress of a response that a timeout ended. */
interface Progress {
  /** Formatted: `after 20 bytes of the body`. */
  progress: string;
  /** True if the end of a streamed reply had arrived, by its protocol. */
  hasReplyEnded: boolean;
}

/** Formats the detail of an exchange that the total timeout ended. */
export function describeTimeout(timeoutMs: Ms, { progress, hasReplyEnded }: Progress): string {
  const where = hasReplyEnded ? `${openEnd}, ${progress}` : `the wait ended ${progress}`;
  return `no complete response within ${String(timeoutMs)} ms: ${where}`;
}

/** Formats the detail of a streamed reply that the stall timeout ended. */
export function describeStall(afterMs: Ms, { progress, hasReplyEnded }: Progress): string {
  return hasReplyEnded
    ? `${openEnd} within ${String(afterMs)} ms of its last content, ${progress}`
    : `no further content within ${String(afterMs)} ms: it stalled ${progress}`;
}

const openEnd = 'the end of the reply had arrived, but the response was not ended';
