import { ChatLoadError, messageOf } from '../base/errors.ts';
import { isPromise, promiseWords } from '../base/promise.ts';
import { nanosOf, type Price } from '../plan/prices.ts';
import type { Script } from '../plan/script.ts';
import { traitsOf, type AttemptClass } from '../protocol/outcome.ts';
import type { Verdict } from '../protocol/protocol.ts';
import type { ReplyCost } from '../scenario/scenario-values.ts';
import type { OperationPlan } from './operation.ts';

/** A function of the scenario that could not compute a price. */
export interface PriceProblem {
  problem: string;
}

const unknown: Price = { nanos: 0, isWhole: false };
const free: Price = { nanos: 0, isWhole: true };

/**
 * Returns the price of an attempt by its verdict, before any check of the reply: by the scenario's function, if
 * it has one, otherwise by the reported usage. `undefined`: costs are not computed.
 */
export function priceAttempt(
  { cost, prices }: Pick<Script, 'cost' | 'prices'>,
  { outcome, reply, spent }: Verdict,
): Price | PriceProblem | undefined {
  if (cost !== undefined) return reply === undefined ? withoutUsage(outcome) : priceReply(cost, reply.data);
  if (prices === undefined) return undefined;
  if (reply?.usage !== undefined) return prices.price(reply.usage, reply.model);
  if (spent === undefined) return withoutUsage(outcome);
  const price = prices.price(spent.usage, spent.model);
  return spent.isFinal || !price.isWhole ? price : { ...price, isWhole: false };
}

/** Attempts that were refused before any work, or never sent, cost nothing. */
function withoutUsage(outcome: AttemptClass): Price {
  return outcome === 'ok' || outcome === 'aborted' || traitsOf(outcome).ambiguous ? unknown : free;
}

/** Maximum cost of a reply: sums stay whole numbers. */
const maxCost = 1e6;

/** Prices a reply by its `data` with the scenario's function. */
function priceReply(cost: ReplyCost, data: unknown): Price | PriceProblem {
  try {
    const price: unknown = cost(data as Readonly<Record<string, unknown>>);
    if (typeof price === 'number' && price >= 0 && price <= maxCost) return { nanos: nanosOf(price), isWhole: true };
    if (isPromise(price)) return { problem: `it returned a promise, ${promiseWords}` };
    return { problem: `it returned ${show(price)}, not a number from 0 to ${String(maxCost)}` };
  } catch (thrown) {
    return { problem: messageOf(thrown) };
  }
}

/** Returns the error that ends the run if a price could not be computed. */
export function costError({ session, turn }: Pick<OperationPlan, 'session' | 'turn'>, problem: string): ChatLoadError {
  return new ChatLoadError('usage', {
    message: `The function cost of the scenario failed in session ${String(session.number)}, turn ${String(turn)}: ${problem}`,
    hint: 'Fix cost in the scenario file: it receives the data of a reply and returns a number from 0.',
  });
}

/** Reports only the type of a value that may contain part of a reply. */
function show(given: unknown): string {
  if (given === undefined) return 'nothing';
  return given === null || typeof given === 'number' ? String(given) : `a value of type ${typeof given}`;
}
