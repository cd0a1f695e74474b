import { later, type Clock } from '../../base/time.ts';
import type { ContractBreak, FaultEffect, SettledRetryAfter } from '../../scenario/embedded-faults.ts';
import type { Operation } from '../../protocol/protocol.ts';
import { failure, withoutResponse, type Delivery } from '../http/delivery.ts';
import type { ServerExchange } from './server-exchange.ts';
import { classOfFailure } from '../books/service-class.ts';

/**
 * What a fault does in place of any work; `undefined` when there is none, or when it applies after the work is done.
 */
export function inPlaceOfWork(effect: FaultEffect | undefined, clock: Clock): Delivery | undefined {
  switch (effect?.does) {
    case 'answer':
      return answerOf(effect, clock);
    case 'end':
      return withoutResponse(effect.outcome);
    default:
      return undefined;
  }
}

/** Sends a good answer as the fault requires: late, cut, spoiled, or unchanged. */
export function giveSpoiled(
  effect: FaultEffect | undefined,
  good: Delivery,
  { exchange, clock, broken }: { exchange: ServerExchange; clock: Clock; broken: BreakBody },
): void | Promise<void> {
  if (effect?.does !== 'hold') return exchange.give(spoil(effect, good, { operation: exchange.operation, broken }));
  return exchange.hold(later(clock.now(), effect.forMs)).then(() => exchange.give(good));
}

/** The body that breaks the contract in this way. */
export type BreakBody = (breaks: ContractBreak, operation: Operation, body: string) => unknown;

function spoil(
  effect: FaultEffect | undefined,
  good: Delivery,
  { operation, broken }: { operation: Operation; broken: BreakBody },
): Delivery {
  switch (effect?.does) {
    case 'cut':
      return { ...good, outcome: 'cut' };
    case 'malformed':
      return { ...good, outcome: 'malformed', body: good.body.slice(0, good.body.length >> 1) };
    case 'break':
      return { ...good, outcome: 'contract_broken', body: JSON.stringify(broken(effect.breaks, operation, good.body)) };
    default:
      return good;
  }
}

function headerOf(retryAfter: SettledRetryAfter | null, clock: Clock): string | undefined {
  if (retryAfter === null) return undefined;
  return retryAfter.kind === 'text' ? retryAfter.text : new Date(clock.wallNow() + retryAfter.inMs).toUTCString();
}

function answerOf(
  { status, error, body, retryAfter }: Extract<FaultEffect, { does: 'answer' }>,
  clock: Clock,
): Delivery {
  const header = headerOf(retryAfter, clock);
  if (body === null) return failure(status, error, header);
  return { outcome: classOfFailure(status, errorIn(body)), status, body, retryAfter: header };
}

/** The text in the `error` field of a body; `undefined`: it has none. */
export function errorIn(body: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    const error = typeof parsed === 'object' && parsed !== null && 'error' in parsed ? parsed.error : undefined;
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}
