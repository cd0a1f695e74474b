import { hashOf, keyOf } from '../../src/base/random.ts';
import type { FinishedClass } from '../../src/protocol/outcome.ts';

/** Faults of the simulated service. */
export type FaultKind =
  | 'none'
  | 'errors'
  | 'throttling'
  | 'transport'
  | 'contract'
  | 'creations'
  | 'storm'
  | 'gone'
  | 'refusedMessages'
  | 'refusedCreations'
  | 'unfitForCreations'
  | 'unfitForMessages';

/** A request as the service knows it. */
export type Asked =
  /** `ordinal`: number among all requested creations, from 1. */
  | { operation: 'create'; ordinal: number; at: number }
  | { operation: 'message'; session: number; turn: number; attempt: number; at: number };

/** Outcome of a request. */
export interface Answer {
  outcome: FinishedClass;
  afterMs: number;
  /** `undefined` if no byte of a response arrived. */
  firstByteAfterMs: number | undefined;
  /** Whether a complete head arrived. */
  hasHead: boolean;
  connectMs: number | undefined;
  retryAfter: string | undefined;
  /** A multiple of an eighth. */
  cost: number;
}

export type AnswerModel = (asked: Asked) => Answer;

/** A service whose answer depends only on the request and its time. */
export function answerModel(faults: FaultKind, seed: number): AnswerModel {
  return (asked) => {
    const draw = drawer(asked, seed);
    const outcome = outcomeOf(faults, asked, draw('outcome'));
    const isBusy = asked.operation === 'message' && outcome !== 'bad_request';
    const [min, max] = isBusy ? [40, 260] : [20, 120];
    const slow = draw('slow') < 0.06 ? 700 : 0;
    const afterMs = dyadic(min + slow + draw('latency') * (max - min));
    const isLost = outcome === 'connection_lost';
    const hasBytes = !bytesNever.includes(outcome) && !(isLost && draw('bytes') < 0.5);
    return {
      outcome,
      afterMs,
      firstByteAfterMs: hasBytes ? dyadic(afterMs / 2) : undefined,
      hasHead: hasBytes && !(isLost && draw('head') < 0.5),
      connectMs: outcome !== 'connect_failed' && draw('connect') < 0.3 ? dyadic(5 * draw('connecting')) : undefined,
      retryAfter: outcome === 'rate_limited' ? retryAfterOf(draw('retryAfter'), asked.at + afterMs) : undefined,
      cost: Math.ceil(draw('cost') * 2) / 8,
    };
  };
}

/** The wall clock at the start of a run, in milliseconds since 1970. */
export const wallStart = Date.UTC(2026, 0, 1);

const bytesNever: readonly FinishedClass[] = ['connect_failed', 'timed_out'];

function outcomeOf(faults: FaultKind, { operation, at }: Asked, drawn: number): FinishedClass {
  const isCreate = operation === 'create';
  const pick = (...shares: readonly (readonly [number, FinishedClass])[]): FinishedClass => {
    let left = drawn;
    return shares.find(([share]) => (left -= share) < 0)?.[1] ?? 'ok';
  };
  switch (faults) {
    case 'none':
      return 'ok';
    case 'errors':
      if (isCreate) return pick([0.05, 'internal_error']);
      return pick([0.1, 'internal_error'], [0.1, 'server_error'], [0.05, 'provider_error'], [0.05, 'bad_request']);
    case 'throttling':
      return pick([isCreate ? 0.15 : 0.35, 'rate_limited'], [isCreate ? 0 : 0.05, 'provider_rate_limited']);
    case 'transport':
      return pick([0.08, 'connect_failed'], [0.14, 'connection_lost'], [0.06, 'timed_out'], [0.05, 'malformed']);
    case 'contract':
      if (isCreate) return pick([0.04, 'contract_broken']);
      return pick([0.1, 'check_failed'], [0.06, 'contract_broken'], [0.06, 'http_other'], [0.04, 'malformed']);
    case 'creations':
      return isCreate ? pick([0.3, 'server_error'], [0.12, 'http_other']) : 'ok';
    case 'storm':
      return !isCreate && at >= 900.5 && at < 2300.5 ? 'server_error' : 'ok';
    case 'gone':
      return at >= 1500.5 ? 'connect_failed' : 'ok';
    case 'refusedMessages':
      return !isCreate && at >= 4600.5 ? 'unauthorized' : pick([isCreate ? 0 : 0.1, 'not_found']);
    case 'refusedCreations':
      return isCreate && at >= 3700.5 ? 'forbidden' : pick([isCreate ? 0 : 0.1, 'server_error']);
    case 'unfitForCreations':
      return isCreate ? 'http_other' : 'ok';
    case 'unfitForMessages':
      return isCreate ? 'ok' : 'bad_request';
  }
}

/** Nothing, whole seconds, garbage, more than is waited for, or a date. */
function retryAfterOf(drawn: number, at: number): string | undefined {
  const date = (inMs: number): string => new Date(wallStart + at + inMs).toUTCString();
  const forms = [undefined, '0', '1', 'soon', '3', date(1500), date(-60_000)];
  return forms[Math.floor(drawn * forms.length)];
}

/** Draws from [0, 1) that belong to one request. */
function drawer(asked: Asked, seed: number): (what: string) => number {
  const key = asked.operation === 'create' ? [asked.ordinal, 0, 0] : [asked.session, asked.turn, asked.attempt];
  return (what) => (hashOf([seed, keyOf(asked.operation), keyOf(what), ...key]) >>> 0) / 2 ** 32;
}

/** With twenty binary digits: sums are exact, and two instants are hardly ever equal by chance. */
const dyadic = (value: number): number => Math.round(value * 2 ** 20) / 2 ** 20;
