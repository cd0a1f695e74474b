import { between, type Clock, type Instant } from '../../base/time.ts';
import type { ServiceContext } from '../exchange/service-context.ts';
import type { EventSink, StreamEnd } from '../http/write-delivery.ts';
import type { StreamBook } from '../books/stream-book.ts';

/** Writes the events of one reply, each by itself or several at once, and notes when its pieces were written. */
export class EventWriter {
  readonly #sink: EventSink;
  readonly #clock: Clock;
  readonly #book: StreamBook;
  /** Events of one write. */
  readonly #flushEvery: number;
  readonly #arrivedAt: Instant;
  #lastAt: Instant | undefined;
  #held = '';
  #events = 0;
  #pieces = 0;
  #isHeard = true;

  constructor(
    sink: EventSink,
    { clock, streams, options }: ServiceContext,
    given: { arrivedAt: Instant; isBuffered: boolean },
  ) {
    this.#sink = sink;
    this.#clock = clock;
    this.#book = streams;
    this.#arrivedAt = given.arrivedAt;
    this.#flushEvery = given.isBuffered ? Infinity : options.stream.flushEvery;
  }

  /** An event with a piece. */
  content(event: string): void {
    this.#pieces++;
    this.other(event);
  }

  /** Any other event. */
  other(event: string): void {
    if (!this.#isHeard) return;
    this.#held = this.#events === 0 ? event : this.#held + event;
    this.#events++;
    if (this.#events >= this.#flushEvery) this.#flush();
  }

  /** Nobody reads any more. */
  forget(): void {
    this.#isHeard = false;
  }

  end(how: StreamEnd): void {
    this.#flush();
    this.#sink.end(how);
  }

  #flush(): void {
    if (this.#events === 0) return;
    this.#sink.write(this.#held);
    const now = this.#clock.now();
    for (; this.#pieces > 0; this.#pieces--) this.#note(now);
    this.#events = 0;
    this.#held = '';
  }

  #note(now: Instant): void {
    if (this.#lastAt === undefined) this.#book.first(between(this.#arrivedAt, now));
    else this.#book.next(between(this.#lastAt, now));
    this.#lastAt = now;
  }
}
