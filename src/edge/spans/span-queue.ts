import { once } from 'node:events';
import { setImmediate as pause } from 'node:timers/promises';
import type { EndedSpan } from '../../record/spans.ts';
import type { Warning } from '../../result/sections/warning.ts';

/** Spans per request: a request costs as much as many spans, and their serialization delays turns by a millisecond or two. */
const batchSize = 128;
const maxWaiting = 20_000;
const everyMs = 1000;
/** Maximum time that the end of a run waits for the last spans, if the previous ones arrived. */
const endsWithinMs = 5000;

interface SpanQueueOptions {
  /** Sends spans. Resolves with the reason if they did not arrive; never rejects. */
  send: (spans: readonly EndedSpan[]) => Promise<string | undefined>;
  /** Address for messages. */
  url: string;
  /** The spans, for messages: `spans`, or which of them. */
  named: string;
}

/** Spans that wait for their export: in batches, one at a time, outside of turns. A full queue counts and drops new spans. */
export class SpanQueue {
  readonly #options: SpanQueueOptions;
  #waiting: EndedSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #sent = 0;
  #lost = 0;
  #dropped = 0;
  #failure: { why: string; isLast: boolean } | undefined;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
  }

  add(span: EndedSpan): void {
    if (this.#waiting.length >= maxWaiting) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(span);
    this.#timer ??= setTimeout(() => void this.#flush('all'), everyMs).unref();
    // A full batch is not kept for longer: spans that grow old cost more to collect.
    if (this.#waiting.length === batchSize && this.#failure?.isLast !== true)
      setImmediate(() => void this.#flush('full'));
  }

  /** Sends the remaining spans, and resolves with a warning about lost ones. A collector that does not answer is not waited for. */
  async end(hurry: AbortSignal): Promise<Warning[]> {
    const given = AbortSignal.any([hurry, AbortSignal.timeout(endsWithinMs)]);
    if (this.#failure?.isLast !== true && !hurry.aborted) await Promise.race([this.#flushAll(), once(given, 'abort')]);
    clearTimeout(this.#timer);
    const missing = this.#lost + this.#dropped + this.#waiting.length;
    this.#waiting = [];
    return missing === 0 ? [] : [this.#lostWarning(missing)];
  }

  async #flushAll(): Promise<void> {
    // A request under way leaves an incomplete batch.
    await this.#sending;
    await this.#flush('all');
  }

  #flush(batches: 'full' | 'all'): Promise<void> {
    return (this.#sending ??= this.#send(batches === 'all' ? this.#waiting.length : 0).finally(() => {
      this.#sending = undefined;
      clearTimeout(this.#timer);
      this.#timer = this.#waiting.length === 0 ? undefined : setTimeout(() => void this.#flush('all'), everyMs).unref();
    }));
  }

  /** Sends a number of spans, and full batches after them, until a batch does not arrive. */
  async #send(count: number): Promise<void> {
    for (let left = count; this.#waiting.length >= (left > 0 ? 1 : batchSize); left -= batchSize) {
      const batch = this.#waiting.splice(0, batchSize);
      this.#lost += batch.length;
      const why = await this.#options.send(batch);
      if (why !== undefined) {
        this.#failure = { why, isLast: true };
        return;
      }
      this.#lost -= batch.length;
      this.#sent += batch.length;
      if (this.#failure !== undefined) this.#failure.isLast = false;
      await pause();
    }
  }

  #lostWarning(missing: number): Warning {
    const why = this.#failure?.why ?? (this.#dropped > 0 ? 'it takes them too slowly' : 'it took too long');
    return {
      code: 'traces_not_exported',
      message: `${String(missing)} of ${String(this.#sent + missing)} ${this.#options.named} did not arrive at ${this.#options.url}: ${why}.`,
      remedy:
        'Check the endpoint, and that the collector runs; or export fewer with --trace-share. The result has everything.',
    };
  }
}
