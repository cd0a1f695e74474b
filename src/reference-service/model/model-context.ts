import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { between, later, type Clock, type Instant, type Ms } from '../../base/time.ts';
import type { ModelObserver } from '../../model-calls/model-observer.ts';
import { RecentMap } from '../../base/recent-map.ts';
import type { ResolvedModel } from '../../scenario/model-options.ts';
import { Faults } from '../faults/faults.ts';
import { Connections } from '../http/write-delivery.ts';
import { CallLimits } from './call-limits.ts';
import { PrefixCache } from './input-blocks.ts';
import { AnswerMaker } from './make-answer.ts';
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
export type ModelContext = ReturnType<typeof createModelContext>;

export function createModelContext(
  options: ResolvedModel,
  { clock, observer, startedAt = clock.now(), server, count }: ModelParts & { server: Server; count: CountTokens },
) {
  const { seed, keys, models } = options;
  const faults = new Faults(
    options.faults.map((fault) => ({ ...fault, on: 'message' })),
    seed,
  );
  const elapsed = (): Ms => between(startedAt, clock.now());
  const idStart = randomBytes(10).toString('hex');
  let ids = 0;
  const equal = new RecentMap<string, number>(20_000);
  return {
    options,
    clock,
    observer,
    count,
    faults,
    connections: new Connections(server),
    limits: new CallLimits(options.limits, clock),
    slots: new Slots(options.capacity),
    cache: new PrefixCache(options.cache),
    answers: new AnswerMaker(options, count),
    store: new ResponseStore(),
    keys: keys && new Set(keys),
    models: models && new Set(models),
    /** Number of calls that have arrived. */
    calls: 0,
    open: new Set<{ abandon(): void }>(),
    elapsed,
    /** Returns the number of calls before with this digest, of the latest ones. */
    countEqual: (digest: string): number => {
      const before = equal.get(digest) ?? 0;
      equal.set(digest, before + 1);
      return before;
    },
    /** Returns a unique id: 32 hexadecimal digits after the prefix. */
    newId: (prefix: string): string => `${prefix}${idStart}${(++ids).toString(16).padStart(12, '0')}`,
    /** Returns the end of the freeze that the service is in, if any. */
    frozenUntil: (): Instant | undefined => {
      const until = faults.freezes ? faults.frozenUntil('message', elapsed()) : undefined;
      return until === undefined ? undefined : later(startedAt, until);
    },
  };
}
