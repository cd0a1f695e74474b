import { once } from 'node:events';
import { setImmediate as pause } from 'node:timers/promises';
import type { EndedSpan } from '../../record/spans.ts';
import type { Warning } from '../../result/sections/warning.ts';

/** Spans per request, as in OpenTelemetry's processors: a request costs as much as hundreds of spans. */
const batchSize = 512;
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
  /** Requests that wait, the number of their spans, and the number of spans since the last one. */
  #closed: { body: Uint8Array; spans: number }[] = [];
  #waiting = 0;
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
    if (this.#waiting + this.#started >= maxWaiting) {
      this.#dropped++;
      return;
    }
    this.#sink.add(span);
    this.#timer ??= setTimeout(() => void this.#flushAll(), everyMs).unref();
    if (++this.#started < batchSize) return;
    this.#close();
    if (!this.#hasFailed) setImmediate(() => void this.#flush());
  }

  /** Sends the remaining spans, and resolves with a warning about lost ones. A collector that does not answer is not waited for. */
  async end(hurry: AbortSignal): Promise<Warning[]> {
    const given = AbortSignal.any([hurry, AbortSignal.timeout(endsWithinMs)]);
    if (!this.#hasFailed && !hurry.aborted) await Promise.race([this.#flushAll(), once(given, 'abort')]);
    clearTimeout(this.#timer);
    const missing = this.#lost + this.#dropped + this.#waiting + this.#started;
    this.#closed = [];
    return missing === 0 ? [] : [this.#lostWarning(missing)];
  }

  get #hasFailed(): boolean {
    return this.#failure?.isLast === true;
  }

  #close(): void {
    if (this.#started === 0) return;
    this.#closed.push({ body: this.#sink.take(), spans: this.#started });
    this.#waiting += this.#started;
    this.#started = 0;
  }

  /** Sends an incomplete batch, too. */
  async #flushAll(): Promise<void> {
    this.#close();
    // Requests under way may have found nothing more to send just before.
    await this.#sending;
    await this.#flush();
  }

  #flush(): Promise<void> {
    return (this.#sending ??= this.#sendClosed().finally(() => {
      this.#sending = undefined;
      const isEmpty = this.#waiting + this.#started === 0;
      clearTimeout(this.#timer);
      this.#timer = isEmpty ? undefined : setTimeout(() => void this.#flushAll(), everyMs).unref();
    }));
  }

  /** Sends request after request, until none waits or one does not arrive. */
  async #sendClosed(): Promise<void> {
    for (let next = this.#closed.shift(); next !== undefined; next = this.#closed.shift()) {
      const { body, spans } = next;
      this.#waiting -= spans;
      this.#lost += spans;
      const why = await this.#sink.send(body);
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
