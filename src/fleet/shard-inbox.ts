import { ChatLoadError } from '../base/errors.ts';
import { countOf } from '../base/format.ts';
import { later, ms, type Clock, type Instant, type Ms } from '../base/time.ts';
import { onAbort } from '../schedule/stop/stop-controller.ts';
import { every } from '../schedule/stop/watch-run.ts';
import type { Coordinator } from './coordinator.ts';
import type { FromShard } from './messages.ts';
import type { ShardState } from './shard-state.ts';
import type { ShardsListener } from './shards.ts';

interface InboxOptions {
  clock: Clock;
  /** Maximum time until all shards are ready. */
  within: Ms;
  /** Receives progress while the wait takes long. */
  note: (text: string) => void;
}

const noteEveryMs = ms(3000);

/** Receives the messages of shards: waits until all are ready, then passes the messages on to the coordinator. */
export class ShardInbox implements ShardsListener {
  readonly #states: readonly ShardState[];
  readonly #options: InboxOptions;
  readonly #ready: Promise<void>;
  #resolve: () => void = () => undefined;
  #reject: (error: ChatLoadError) => void = () => undefined;
  #lastNote = '';
  readonly #gone = new Map<ShardState, string>();
  /** Warnings received before the run. */
  readonly #early: (readonly [ShardState, FromShard])[] = [];
  #coordinator: Coordinator | undefined;

  constructor(states: readonly ShardState[], options: InboxOptions) {
    this.#states = states;
    this.#options = options;
    this.#ready = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { clock, within } = options;
    const cancel = clock.wakeAt(later(clock.now(), within), () => this.#tooLate());
    const stopNoting = every(noteEveryMs, { clock, start: clock.now() }, () => this.#note());
    for (const end of [cancel, stopNoting]) this.#ready.then(end, end);
  }

  /** Resolves when all are ready. Rejects with `ChatLoadError` when one cannot become ready, when it takes too long, or on `drain`. */
  allReady(drain: AbortSignal): Promise<void> {
    return this.#ready.finally(
      onAbort(drain, () => this.#fail('Stopped while waiting for shards.', 'Nothing was sent.')),
    );
  }

  /** Passes messages on to the coordinator: all shards are ready, and start at this instant. */
  follow(coordinator: Coordinator, startedAt: Instant): void {
    for (const state of this.#states) state.receivedAt = startedAt;
    this.#coordinator = coordinator;
    for (const [state, message] of this.#early) coordinator.receive(state, message);
    // A shard may have gone since it was ready.
    for (const [state, reason] of this.#gone) coordinator.lose(state, reason);
  }

  readonly received = (shard: number, message: FromShard): void => {
    const state = this.#states[shard];
    if (state === undefined) return;
    if (message.kind === 'ready') {
      state.machine = message.worker;
      state.phase = 'ready';
    }
    if (this.#coordinator !== undefined) return this.#coordinator.receive(state, message);
    if (message.kind === 'warning') this.#early.push([state, message]);
    if (message.kind === 'refused') {
      const { code, message: text, hint, host } = message;
      const refusal = `Shard ${String(state.index)}, on ${host}, rejects this run: ${text}.`;
      this.#reject(new ChatLoadError(code, { message: refusal, hint }));
    } else if (message.kind === 'failed') this.#goneEarly(state, message.message);
    else if (this.#states.every(({ phase }) => phase === 'ready')) this.#resolve();
  };

  readonly gone = (shard: number, reason: string): void => {
    const state = this.#states[shard];
    if (state === undefined) return;
    this.#gone.set(state, reason);
    if (this.#coordinator === undefined) this.#goneEarly(state, reason);
    else this.#coordinator.lose(state, reason);
  };

  #goneEarly({ index, machine }: ShardState, reason: string): void {
    const place = machine === undefined ? '' : ` (${machine.host}, process ${String(machine.pid)})`;
    this.#fail(
      `Shard ${String(index)}${place} was gone before the start: ${reason}.`,
      'Nothing was sent. See the output of its process.',
    );
  }

  #fail(message: string, hint: string): void {
    this.#reject(new ChatLoadError('environment', { message, hint }));
  }

  /** Reports the number of ready shards whenever it has changed. */
  #note(): void {
    const ready = this.#states.filter(({ phase }) => phase === 'ready').length;
    const text = `Waiting for ${countOf(this.#states.length, 'shard')}: ${String(ready)} ready.`;
    if (text !== this.#lastNote) this.#options.note(text);
    this.#lastNote = text;
  }

  #tooLate(): void {
    const missing = this.#states.filter(({ phase }) => phase !== 'ready').map(({ index }) => index);
    const listed = missing.slice(0, 10).join(', ') + (missing.length > 10 ? ', ...' : '');
    const verb = missing.length === 1 ? 'was' : 'were';
    this.#fail(
      `${countOf(missing.length, 'shard')} of ${String(this.#states.length)} ${verb} not ready within ${String(this.#options.within / 1000)} s: ${listed}.`,
      'Nothing was sent. Start as many workers as there are shards, with the same Redis and --prefix, or wait longer with --ready-timeout.',
    );
  }
}
