import { ChatLoadError, messageOf } from '../base/errors.ts';
import type { Script } from '../plan/script.ts';
import { isPromise, promiseWords } from '../scenario/promise.ts';
import type { Quota } from '../schedule/quota.ts';
import type { Judge } from './classify.ts';
import type { OperationPlan } from './operation.ts';
import type { SessionContext } from './session-context.ts';

/** Prices a reply by its `data`: millionths of the scenario's currency, whole. What goes wrong ends the run. */
export type PriceReply = (data: unknown, planned: Pick<OperationPlan, 'session' | 'turn'>) => number;

/** What an attempt cost. */
export interface Price {
  millionths: number;
}

/** A judge that has every reply which keeps the contract priced: one that then fails a check has cost no less. */
export function withPrice(
  judge: Judge,
  { priceReply }: Pick<SessionContext, 'priceReply'>,
  { planned, price }: { planned: OperationPlan; price: Price },
): Judge {
  return priceReply === undefined
    ? judge
    : (envelope) => {
        const judged = judge(envelope);
        if ('value' in judged) price.millionths = priceReply(envelope.data, planned);
        return judged;
      };
}

export interface Pricing {
  quota: Pick<Quota, 'spend'>;
  abandon: SessionContext['abandon'];
}

/**
 * Prices replies by the scenario's function. Sums are kept in whole millionths, so that they merge exactly; what
 * rounding takes from one reply is given to the next, so that a million replies of a ten-millionth are not nothing.
 */
export function openPricing(cost: NonNullable<Script['cost']>, { quota, abandon }: Pricing): PriceReply {
  let rest = 0;
  return (data, { session, turn }) => {
    const priced = apply(cost, data);
    if ('problem' in priced) {
      abandon(failed(`session ${String(session.number)}, turn ${String(turn)}: ${priced.problem}`));
      return 0;
    }
    const exact = priced.cost * 1e6 + rest;
    const millionths = Math.max(0, Math.round(exact));
    rest = exact - millionths;
    quota.spend(millionths);
    return millionths;
  };
}

/** The most that a reply can cost: sums of it stay whole numbers. */
const mostCost = 1e6;

function apply(cost: NonNullable<Script['cost']>, data: unknown): { cost: number } | { problem: string } {
  try {
    const price: unknown = cost(data as Readonly<Record<string, unknown>>);
    if (typeof price === 'number' && price >= 0 && price <= mostCost) return { cost: price };
    if (isPromise(price)) return { problem: `it gave a promise, ${promiseWords}` };
    return { problem: `it gave ${show(price)}, not a number from 0 to ${String(mostCost)}` };
  } catch (thrown) {
    return { problem: messageOf(thrown) };
  }
}

/** What was given is a reply's: only its kind is told. */
const show = (given: unknown): string => (typeof given === 'number' ? String(given) : kindOf(given));

const kindOf = (given: unknown): string =>
  given === undefined ? 'nothing' : given === null ? 'null' : `a value of type ${typeof given}`;

const failed = (where: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `The function cost of the scenario failed in ${where}`,
    hint: 'Fix cost in the scenario file: it is given the data of a reply, and gives a number from 0.',
  });
