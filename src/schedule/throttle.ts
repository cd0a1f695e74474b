import { later, ms, type Clock, type Instant, type Ms } from '../base/time.ts';
import type { Operation } from '../protocol/protocol.ts';
import type { Sleeper } from './sleeper.ts';

/** Refusals in a row after which sessions are held back. */
export const maxRefusals = 200;
/** Sessions are then started no closer together than this. */
const spacing = ms(10);
export const throttledPerSecond = 1000 / spacing;

interface ThrottleOptions {
  clock: Clock;
  sleeper: Sleeper;
  /** Called when a session was delayed for the first time, with the rejected operation. */
  notify: (refused: Operation) => void;
  /** The number of throttles that together do this for one run. */
  shards?: number;
}

/**
 * Slows closed load while a target refuses everything: an immediate answer lets the next session start at once, and
 * thousands per second would be started for nothing. Creations and messages are counted apart, since a service that
 * creates sessions may still refuse every message; a message that goes well ends both counts.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #sleeper: Sleeper;
  readonly #notify: (refused: Operation) => void;
  readonly #maxRefusals: number;
  readonly #spacing: Ms;
  readonly #refusals = { create: 0, message: 0 };
  #lastStart: Instant | undefined;
  #lastInLine: Promise<unknown> = Promise.resolve();
  #hasNotified = false;

  constructor({ clock, sleeper, notify, shards = 1 }: ThrottleOptions) {
    this.#clock = clock;
    this.#sleeper = sleeper;
    this.#notify = notify;
    this.#maxRefusals = Math.ceil(maxRefusals / shards);
    this.#spacing = ms(spacing * shards);
  }

  /** It failed in a way that is not retried. */
  refused(operation: Operation): void {
    this.#refusals[operation] += 1;
  }

  wentWell(operation: Operation): void {
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
    this.#lastStart = this.#clock.now();
    return this.#lastStart;
  }

  /** Resolves to false if the run drains meanwhile. */
  async #delay(refused: Operation): Promise<boolean> {
    const earliest = this.#lastStart === undefined ? this.#clock.now() : later(this.#lastStart, this.#spacing);
    if (!(await this.#sleeper.sleepUntil(earliest, 'drain'))) return false;
    if (!this.#hasNotified) this.#notify(refused);
    this.#hasNotified = true;
    return true;
  }
}
