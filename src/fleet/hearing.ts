import { onAbort } from '../schedule/stop/stop-controller.ts';
import { type Instant, later, ms, type Clock, type Ms } from '../base/time.ts';
import type { Coordinator } from './coordinator.ts';
import type { FromShard } from './messages.ts';
import type { ShardState } from './shard-state.ts';
import type { ShardsListener } from './shards.ts';
import { ChatLoadError } from '../base/errors.ts';
import { countOf } from '../base/format.ts';
import { every } from '../schedule/stop/watch-run.ts';

/** Passes what is heard of shards to who is to know: at first who waits for them, then the coordinator. */
export class Hearing implements ShardsListener {
  readonly #states: readonly ShardState[];
  readonly #wait: ReadyWait;
  #coordinator: Coordinator | undefined;

  constructor(states: readonly ShardState[], options: ReadyWaitOptions) {
    this.#states = states;
    this.#wait = new ReadyWait(states, options);
  }

  /** Resolves when all shards are ready. Rejects as `ReadyWait` does. */
  allReady(drain: AbortSignal): Promise<void> {
    return this.#wait.all(drain);
  }

  /** All are ready, and begin at this instant. */
  follow(coordinator: Coordinator, startedAt: Instant): void {
    for (const state of this.#states) state.heardAt = startedAt;
    this.#coordinator = coordinator;
    for (const [state, message] of this.#early) coordinator.heard(state, message);
    // One may have gone since it was ready.
    for (const [state, reason] of this.#gone) coordinator.lose(state, reason);
  }

  readonly heard = (shard: number, message: FromShard): void => {
    const state = this.#states[shard];
    if (state === undefined) return;
    if (message.kind === 'ready') {
      state.machine = message.worker;
      state.phase = 'ready';
    }
    if (this.#coordinator !== undefined) return this.#coordinator.heard(state, message);
    if (message.kind === 'warning') this.#early.push([state, message]);
    this.#wait.heard(state, message);
  };

  readonly gone = (shard: number, reason: string): void => {
    const state = this.#states[shard];
    if (state === undefined) return;
    this.#gone.set(state, reason);
    if (this.#coordinator === undefined) this.#wait.gone(state, reason);
    else this.#coordinator.lose(state, reason);
  };

  readonly #gone = new Map<ShardState, string>();
  /** What is to be known during the run, and was said before it. */
  readonly #early: (readonly [ShardState, FromShard])[] = [];
}

interface ReadyWaitOptions {
  clock: Clock;
  within: Ms;
  /** Is given how the wait goes, where it takes a while. */
  note: (text: string) => void;
}

const noteEveryMs = ms(3000);

/** Waits until every shard is ready. Given what shards say until then. */
class ReadyWait {
  readonly #states: readonly ShardState[];
  readonly #within: Ms;
  readonly #note: (text: string) => void;
  #notedAs = '';
  readonly #settled: Promise<void>;
  #resolve: () => void = () => undefined;
  #reject: (error: ChatLoadError) => void = () => undefined;

  constructor(states: readonly ShardState[], { clock, within, note }: ReadyWaitOptions) {
    this.#states = states;
    this.#within = within;
    this.#note = note;
    this.#settled = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const cancel = clock.wakeAt(later(clock.now(), within), () => this.#reject(this.#tooLate()));
    const stopNoting = every(noteEveryMs, { clock, start: clock.now() }, () => this.#say());
    for (const end of [cancel, stopNoting]) this.#settled.then(end, end);
  }

  /** Resolves when all are ready. Rejects with `ChatLoadError` when one will not be, when it takes too long, or on `drain`. */
  all(drain: AbortSignal): Promise<void> {
    return this.#settled.finally(onAbort(drain, () => this.#reject(stopped())));
  }

  heard(state: ShardState, message: FromShard): void {
    if (message.kind === 'refused') {
      const { code, message: text, hint, host } = message;
      const who = `Shard ${String(state.index)}, on ${host}, will not play`;
      this.#reject(new ChatLoadError(code, { message: `${who}: ${text}.`, hint }));
    } else if (message.kind === 'failed') this.gone(state, message.message);
    else if (this.#states.every(({ phase }) => phase === 'ready')) this.#resolve();
  }

  gone(state: ShardState, reason: string): void {
    this.#reject(
      new ChatLoadError('environment', {
        message: `${nameOf(state)} was gone before the start: ${reason}.`,
        hint: 'Nothing was sent. What its process printed says more.',
      }),
    );
  }

  /** Where it takes a while: how many are ready, whenever that has changed. */
  #say(): void {
    const ready = this.#states.filter(({ phase }) => phase === 'ready').length;
    const text = `Waiting for ${countOf(this.#states.length, 'shard')}: ${String(ready)} ready.`;
    if (text !== this.#notedAs) this.#note(text);
    this.#notedAs = text;
  }

  #tooLate(): ChatLoadError {
    const missing = this.#states.filter(({ phase }) => phase !== 'ready').map(({ index }) => index);
    const named = missing.slice(0, 10).join(', ') + (missing.length > 10 ? ', ...' : '');
    return new ChatLoadError('environment', {
      message: `${countOf(missing.length, 'shard')} of ${String(this.#states.length)} ${missing.length === 1 ? 'was' : 'were'} not ready within ${String(this.#within / 1000)} s: ${named}.`,
      hint: 'Nothing was sent. Start as many workers as there are shards, on the same broker and prefix, or wait longer with --ready-timeout.',
    });
  }
}

const nameOf = ({ index, machine }: ShardState): string =>
  `Shard ${String(index)}${machine === undefined ? '' : ` (${machine.host}, process ${String(machine.pid)})`}`;

const stopped = (): ChatLoadError =>
  new ChatLoadError('environment', { message: 'Stopped while waiting for shards.', hint: 'Nothing was sent.' });
