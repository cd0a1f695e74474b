import { ChatLoadError, messageOf } from '../base/errors.ts';
import { isPromise, promiseWords } from '../base/promise.ts';
import type { ReplyCost } from '../scenario/scenario.ts';
import type { OperationPlan } from './operation.ts';

/** What a reply costs, in the scenario's currency, or why the scenario's function failed. */
export type Price = { cost: number } | { problem: string };

/** The most that a reply can cost: sums of it stay whole numbers. */
const mostCost = 1e6;

/** Prices a reply by its `data` with the scenario's function. */
export function priceReply(cost: ReplyCost, data: unknown): Price {
  try {
    const price: unknown = cost(data as Readonly<Record<string, unknown>>);
    if (typeof price === 'number' && price >= 0 && price <= mostCost) return { cost: price };
    if (isPromise(price)) return { problem: `it returned a promise, ${promiseWords}` };
    return { problem: `it returned ${show(price)}, not a number from 0 to ${String(mostCost)}` };
  } catch (thrown) {
    return { problem: messageOf(thrown) };
  }
}

/** The error that ends the run when a price could not be computed. */
export function costError({ session, turn }: Pick<OperationPlan, 'session' | 'turn'>, problem: string): ChatLoadError {
  return new ChatLoadError('usage', {
    message: `The function cost of the scenario failed in session ${String(session.number)}, turn ${String(turn)}: ${problem}`,
    hint: 'Fix cost in the scenario file: it takes the data of a reply and returns a number from 0.',
  });
}

/** The value may come from a reply: only its type is reported. */
const show = (given: unknown): string => (typeof given === 'number' ? String(given) : kindOf(given));

const kindOf = (given: unknown): string =>
  given === undefined ? 'nothing' : given === null ? 'null' : `a value of type ${typeof given}`;
