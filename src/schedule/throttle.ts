import { later, ms, type Clock, type Instant } from '../base/time.ts';
import type { Operation } from '../protocol/protocol.ts';
import type { Sleeper } from './sleeper.ts';

/** Number of refusals in a row after which sessions are delayed. */
export const maxRefusals = 200;
/** Minimum time between two starts of sessions from then on. */
const spacing = ms(10);
export const throttledPerSecond = 1000 / spacing;

interface ThrottleOptions {
  clock: Clock;
  sleeper: Sleeper;
  /** Called when a session was delayed for the first time, with the rejected operation. */
  notify: (refused: Operation) => void;
  /** Number of shards that throttle one run together. */
  shards: number;
}

/**
 * Slows closed load while a target refuses everything: an immediate answer lets the next session start at once, and
 * thousands of sessions per second would be started in vain. Creations and messages are counted separately, because a
 * service that creates sessions may still refuse every message; a successful message ends both counts.
 */
export class Throttle {
  readonly #options: ThrottleOptions;
  readonly #maxRefusals: number;
  readonly #refusals = { create: 0, message: 0 };
  #lastStart: Instant | undefined;
  #lastInLine: Promise<unknown> = Promise.resolve();
  #hasNotified = false;

  constructor(options: ThrottleOptions) {
    this.#options = options;
    this.#maxRefusals = Math.ceil(maxRefusals / options.shards);
  }

  /** Records a failure that is not retried. */
  refused(operation: Operation): void {
    this.#refusals[operation] += 1;
  }

  succeeded(operation: Operation): void {
    this.#refusals.create = 0;
    if (operation === 'message') this.#refusals.message = 0;
  }

  get isHolding(): boolean {
    return this.#refused !== undefined;
  }

  /** Operation that is rejected every time; `undefined`: none. */
  get #refused(): Operation | undefined {
    return (['create', 'message'] as const).find((operation) => this.#refusals[operation] >= this.#maxRefusals);
  }

  /** Waits in line for the start of a session; returns its start time, or `undefined` if the run drains before that. */
  pass(): Promise<Instant | undefined> {
    const mine = this.#lastInLine.then(() => this.#waitAtFront());
    this.#lastInLine = mine;
    return mine;
  }

  async #waitAtFront(): Promise<Instant | undefined> {
    const refused = this.#refused;
    if (refused !== undefined && !(await this.#delay(refused))) return undefined;
    this.#lastStart = this.#options.clock.now();
    return this.#lastStart;
  }

  /** Resolves to false if the run drains meanwhile. */
  async #delay(refused: Operation): Promise<boolean> {
    const { clock, sleeper, notify, shards } = this.#options;
    const earliest = this.#lastStart === undefined ? clock.now() : later(this.#lastStart, ms(spacing * shards));
    if (!(await sleeper.sleepUntil(earliest, 'drain'))) return false;
    if (!this.#hasNotified) notify(refused);
    this.#hasNotified = true;
    return true;
  }
}
