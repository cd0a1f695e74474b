import { between, type Instant } from '../../base/time.ts';
import type { ServerExchange } from '../exchange/server-exchange.ts';
import type { EventSink, StreamEnd } from '../http/write-delivery.ts';

/** Writes the events of one reply, one or several at once, and records when its content events were written. */
export class EventWriter {
  readonly #sink: EventSink;
  readonly #exchange: ServerExchange;
  /** Number of events per write. */
  readonly #flushEvery: number;
  #lastAt: Instant | undefined;
  #held = '';
  #events = 0;
  #contents = 0;
  #isConnected = true;

  constructor(sink: EventSink, exchange: ServerExchange, flushEvery: number) {
    this.#sink = sink;
    this.#exchange = exchange;
    this.#flushEvery = flushEvery;
  }

  content(event: string): void {
    this.#contents++;
    this.other(event);
  }

  /** Writes an event without content. */
  other(event: string): void {
    if (!this.#isConnected) return;
    this.#held = this.#events === 0 ? event : this.#held + event;
    this.#events++;
    if (this.#events >= this.#flushEvery) this.#flush();
  }

  /** The client has disconnected. */
  disconnect(): void {
    this.#isConnected = false;
  }

  end(how: StreamEnd): void {
    this.#flush();
    this.#sink.end(how);
  }

  #flush(): void {
    if (this.#events === 0) return;
    this.#sink.write(this.#held);
    const now = this.#exchange.context.clock.now();
    for (; this.#contents > 0; this.#contents--) this.#record(now);
    this.#events = 0;
    this.#held = '';
  }

  #record(now: Instant): void {
    const { streams } = this.#exchange.context;
    if (this.#lastAt === undefined) streams.first(between(this.#exchange.arrivedAt, now));
    else streams.next(between(this.#lastAt, now));
    this.#lastAt = now;
  }
}
