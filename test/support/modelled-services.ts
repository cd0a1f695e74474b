import { randomExponential, randomLogNormal } from 'd3-random';
import type { Random } from '../../src/base/random.ts';
import { EventQueue } from './event-queue.ts';

/** An attempt that is sent to a service. */
interface Asked {
  /** Milliseconds since the search began. */
  at: number;
  /** Turn number within the session, from 0. */
  turn: number;
  /** Identifies the recipient of an answer that is not known at once. */
  id: number;
}

/** End of an attempt, as observed by the client. */
interface Answer {
  afterMs: number;
  isOk: boolean;
}

/** A service under load. What it has in progress outlives the steps of a search. */
export interface ModelledService {
  /** `null`: it is not known before `next`. */
  ask: (asked: Asked) => Answer | null;
  /** Next end of a pending attempt. */
  nextAt: () => number;
  next: () => number;
}

const atOnce = { nextAt: () => Infinity, next: () => 0 };

export interface Places {
  places: number;
  /** Service time of one attempt alone. */
  drawMs: () => number;
  /** The factor on a turn's service time, by its number from 0. */
  dearer?: (turn: number) => number;
  /** Client timeout; the service continues the work. */
  timeoutMs?: number;
}

/** A service with this number of slots and one queue, first come, first served. */
export function placesService({ places, drawMs, dearer = () => 1, timeoutMs = Infinity }: Places): ModelledService {
  const free = new EventQueue();
  for (let place = 0; place < places; place++) free.push(0, place);
  return {
    ...atOnce,
    ask: ({ at, turn }) => {
      const endAt = Math.max(at, free.nextAt) + drawMs() * dearer(turn);
      free.push(endAt, free.pop());
      const tookMs = endAt - at;
      return tookMs > timeoutMs ? { afterMs: timeoutMs, isOk: false } : { afterMs: tookMs, isOk: true };
    },
  };
}

/** A processor shared evenly: a single request takes `drawMs`. */
export function sharingService(drawMs: () => number): ModelledService {
  const queue = new EventQueue();
  let [served, at, count] = [0, 0, 0];
  // All requests have equal shares, so the service received so far determines which one ends next.
  const advance = (to: number): void => {
    if (count > 0) served += (to - at) / count;
    at = to;
  };
  const nextAt = (): number => (count > 0 ? at + (queue.nextAt - served) * count : Infinity);
  return {
    nextAt,
    next: () => {
      advance(nextAt());
      count--;
      return queue.pop();
    },
    ask: (asked) => {
      advance(asked.at);
      queue.push(served + drawMs(), asked.id);
      count++;
      return null;
    },
  };
}

/** Answers requests below a rate within `drawMs`, and refuses the others: a token bucket. */
export function limitingService({
  perSecond,
  burst,
  drawMs,
}: {
  perSecond: number;
  burst: number;
  drawMs: () => number;
}): ModelledService {
  let [tokens, seen] = [burst, 0];
  return {
    ...atOnce,
    ask: ({ at }) => {
      tokens = Math.min(burst, tokens + ((at - seen) * perSecond) / 1000);
      seen = at;
      if (tokens < 1) return { afterMs: 20, isOk: false };
      tokens--;
      return { afterMs: drawMs(), isOk: true };
    },
  };
}

/** Draws around a mean: lognormal, with the shape of a chat agent's replies. */
export function logNormalMs(random: Random, { meanMs, sigma }: { meanMs: number; sigma: number }): () => number {
  return randomLogNormal.source(random)(Math.log(meanMs) - sigma ** 2 / 2, sigma);
}

export function exponentialMs(random: Random, meanMs: number): () => number {
  return randomExponential.source(random)(1 / meanMs);
}
