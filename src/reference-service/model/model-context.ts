import type { Server } from 'node:http';
import { randomBytes } from 'node:crypto';
import { later, type Clock, type Instant, between, type Ms } from '../../base/time.ts';
import type { SettledModel } from '../../scenario/model-options.ts';
import { Faults } from '../faults/faults.ts';
import { Connections } from '../http/write-delivery.ts';
import { CallLimits } from './call-limits.ts';
import { AnswerMaker } from './make-answer.ts';
import { PrefixCache } from './input-blocks.ts';
import type { ModelObserver } from '../../model-calls/model-observer.ts';
import { ResponseStore } from './response-store.ts';
import { Slots } from './slots.ts';
import type { CountTokens } from './token-counter.ts';

/** Parts that the owner of the service passes. */
export interface ModelParts {
  clock: Clock;
  observer: ModelObserver;
  /** Start of the windows of faults; by default the start of the service. */
  startedAt?: Instant;
}

/** The shared state of all calls of one service. */
export class ModelContext {
  readonly options: SettledModel;
  readonly clock: Clock;
  readonly observer: ModelObserver;
  readonly connections: Connections;
  readonly count: CountTokens;
  readonly faults: Faults;
  readonly limits: CallLimits;
  readonly slots: Slots;
  readonly cache: PrefixCache;
  readonly answers: AnswerMaker;
  readonly store = new ResponseStore();
  readonly keys: ReadonlySet<string> | undefined;
  readonly models: ReadonlySet<string> | undefined;
  readonly open = new Set<{ abandon(): void }>();
  calls = 0;
  readonly #startedAt: Instant;
  readonly #idStart = randomBytes(10).toString('hex');
  #ids = 0;

  constructor(
    options: SettledModel,
    { clock, observer, startedAt, server, count }: ModelParts & { server: Server; count: CountTokens },
  ) {
    this.options = options;
    this.clock = clock;
    this.observer = observer;
    this.count = count;
    this.connections = new Connections(server);
    this.faults = new Faults(
      options.faults.map((fault) => ({ ...fault, on: 'message' })),
      options.seed,
    );
    this.limits = new CallLimits(options.limits, clock);
    this.slots = new Slots(options.capacity);
    this.cache = new PrefixCache(options.cache);
    this.answers = new AnswerMaker(options, count);
    this.keys = options.keys === undefined ? undefined : new Set(options.keys);
    this.models = options.models === undefined ? undefined : new Set(options.models);
    this.#startedAt = startedAt ?? clock.now();
  }

  /** Returns a unique id: 32 hexadecimal digits after the prefix. */
  readonly newId = (prefix: string): string =>
    `${prefix}${this.#idStart}${(++this.#ids).toString(16).padStart(12, '0')}`;

  elapsed(): Ms {
    return between(this.#startedAt, this.clock.now());
  }

  /** Returns the end of the freeze that the service is in, if any. */
  frozenUntil(): Instant | undefined {
    if (!this.faults.freezes) return undefined;
    const until = this.faults.frozenUntil('message', this.elapsed());
    return until === undefined ? undefined : later(this.#startedAt, until);
  }
}
