import { later, type Clock } from '../../base/time.ts';
import { jsonObjectIn } from '../../base/json.ts';
import type { ContractBreak, FaultEffect } from '../../scenario/embedded-faults.ts';
import type { Operation } from '../../protocol/protocol.ts';
import { failure, withoutResponse, type Delivery } from '../http/delivery.ts';
import type { ServerExchange } from './server-exchange.ts';
import { classOfFailure } from '../books/service-class.ts';

/** Returns the delivery of a fault that replaces all work; `undefined` if there is none, or if it applies after the work. */
export function inPlaceOfWork(effect: FaultEffect | undefined, clock: Clock): Delivery | undefined {
  if (effect?.does === 'end') return withoutResponse(effect.outcome);
  if (effect?.does !== 'answer') return undefined;
  const { status, error, body, retryAfter } = effect;
  const header =
    retryAfter?.kind === 'date' ? new Date(clock.wallNow() + retryAfter.inMs).toUTCString() : retryAfter?.text;
  if (body === null) return failure(status, error, header);
  return { outcome: classOfFailure(status, errorIn(body)), status, body, retryAfter: header };
}

/** Breaks the contract of a valid body. */
export type BreakBody = (breaks: ContractBreak, operation: Operation, body: string) => unknown;

/** Sends a valid reply as the fault requires: late, cut, broken or unchanged. */
export function sendUnderFault(
  exchange: ServerExchange,
  effect: FaultEffect | undefined,
  good: Delivery,
  broken: BreakBody,
): void | Promise<void> {
  const delivery = underFault(effect, good, (breaks) => broken(breaks, exchange.operation, good.body));
  if (effect?.does !== 'hold') return exchange.send(delivery);
  return exchange.hold(later(exchange.context.clock.now(), effect.forMs)).then(() => exchange.send(delivery));
}

/** Returns a valid reply as the fault requires: cut, broken or unchanged. */
export function underFault(
  effect: FaultEffect | undefined,
  good: Delivery,
  broken: (breaks: ContractBreak) => unknown,
): Delivery {
  switch (effect?.does) {
    case 'cut':
      return { ...good, outcome: 'cut' };
    case 'malformed':
      return { ...good, outcome: 'malformed', body: good.body.slice(0, good.body.length >> 1) };
    case 'break':
      return { ...good, outcome: 'contract_broken', body: JSON.stringify(broken(effect.breaks)) };
    default:
      return good;
  }
}

/** Creates a session unless a fault replaces it; `refuse` formats the error of such a fault. */
export function sendCreation(
  exchange: ServerExchange,
  create: () => Delivery,
  broken: BreakBody,
  refuse = (_effect: FaultEffect | undefined, early: Delivery): Delivery => early,
): void | Promise<void> {
  const { context } = exchange;
  const effect = context.faults.strike('create', exchange.elapsed);
  const early = inPlaceOfWork(effect, context.clock);
  if (early !== undefined) return exchange.send(refuse(effect, early));
  return sendUnderFault(exchange, effect, create(), broken);
}

/** Returns the text in the `error` field of a body; `undefined` if it has none. */
export function errorIn(body: string): string | undefined {
  const error = jsonObjectIn(body)?.['error'];
  return typeof error === 'string' ? error : undefined;
}
