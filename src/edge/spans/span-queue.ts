import { once } from 'node:events';
import { setImmediate as pause } from 'node:timers/promises';
import type { EndedSpan } from '../../record/spans.ts';
import type { Warning } from '../../result/sections/warning.ts';

/** Spans per request: its write delays turns by at most about a millisecond. */
const batchSize = 256;
const maxWaiting = 20_000;
const everyMs = 1000;
/** Maximum time that the end of a run waits for the last spans, if the previous ones arrived. */
const endsWithinMs = 5000;

/** Serializes spans as they end, and sends them. */
export interface SpanSink {
  add(span: EndedSpan): void;
  /** Returns the request for all spans since the last call. */
  take(): Uint8Array;
  /** Sends a request. Resolves with the reason if it did not arrive; never rejects. */
  send(body: Uint8Array): Promise<string | undefined>;
}

/** Names for messages. */
interface SpanQueueNames {
  url: string;
  /** The spans: `spans`, or which of them. */
  spans: string;
}

/** Spans that wait for their export: in batches, one at a time, outside of turns. A full queue counts and drops new spans. */
export class SpanQueue {
  readonly #sink: SpanSink;
  readonly #named: SpanQueueNames;
  /** Full batches of one size, and the number of spans since the last one. */
  #full: Uint8Array[] = [];
  #started = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #sent = 0;
  #lost = 0;
  #dropped = 0;
  #failure: { why: string; isLast: boolean } | undefined;

  constructor(sink: SpanSink, named: SpanQueueNames) {
    this.#sink = sink;
    this.#named = named;
  }

  add(span: EndedSpan): void {
    if (this.#waiting >= maxWaiting) {
      this.#dropped++;
      return;
    }
    this.#sink.add(span);
    this.#timer ??= setTimeout(() => void this.#flush(), everyMs).unref();
    if (++this.#started < batchSize) return;
    this.#full.push(this.#sink.take());
    this.#started = 0;
    if (this.#failure?.isLast !== true) setImmediate(() => void this.#flush());
  }

  get #waiting(): number {
    return this.#full.length * batchSize + this.#started;
  }

  /** Sends the remaining spans, and resolves with a warning about lost ones. A collector that does not answer is not waited for. */
  async end(hurry: AbortSignal): Promise<Warning[]> {
    const given = AbortSignal.any([hurry, AbortSignal.timeout(endsWithinMs)]);
    if (this.#failure?.isLast !== true && !hurry.aborted) await Promise.race([this.#flush(), once(given, 'abort')]);
    clearTimeout(this.#timer);
    const missing = this.#lost + this.#dropped + this.#waiting;
    this.#full = [];
    this.#started = 0;
    return missing === 0 ? [] : [this.#lostWarning(missing)];
  }

  #flush(): Promise<void> {
    return (this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      this.#timer = this.#waiting === 0 ? undefined : setTimeout(() => void this.#flush(), everyMs).unref();
    }));
  }

  /** Sends batch after batch, until none waits or one does not arrive. */
  async #sendAll(): Promise<void> {
    while (this.#waiting > 0) {
      const full = this.#full.shift();
      const spans = full === undefined ? this.#started : batchSize;
      if (full === undefined) this.#started = 0;
      this.#lost += spans;
      const why = await this.#sink.send(full ?? this.#sink.take());
      if (why !== undefined) {
        this.#failure = { why, isLast: true };
        return;
      }
      this.#lost -= spans;
      this.#sent += spans;
      if (this.#failure !== undefined) this.#failure.isLast = false;
      await pause();
    }
  }

  #lostWarning(missing: number): Warning {
    const { url, spans } = this.#named;
    const why = this.#failure?.why ?? (this.#dropped > 0 ? 'it takes them too slowly' : 'it took too long');
    return {
      code: 'traces_not_exported',
      message: `${String(missing)} of ${String(this.#sent + missing)} ${spans} did not arrive at ${url}: ${why}.`,
      remedy:
        'Check the endpoint, and that the collector runs; or export fewer with --trace-share. The result has everything.',
    };
  }
}
