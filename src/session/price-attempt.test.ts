import { describe, expect, test } from 'vitest';
import { readPricesFor } from '../../test/support/read-prices.ts';
import { attemptClassNames, type AttemptClass } from '../protocol/outcome.ts';
import { priceAttempt } from './price-attempt.ts';

const prices = readPricesFor({ 'model-a': { input: 1, output: 10 } }, 'model-a');
const usage = { inputTokens: 1000, outputTokens: 100 };
const script = { cost: undefined, prices };
const without = (outcome: AttemptClass) => ({ outcome, detail: '', reply: undefined });

describe('an attempt', () => {
  test('with a conforming reply has the price of its usage', () => {
    const reply = { text: 'Hi', id: undefined, data: {}, usage };
    expect(priceAttempt(script, { outcome: 'ok', detail: '', reply })).toEqual({ nanos: 2_000_000, isWhole: true });
  });

  test('whose stream ended after its usage has a known price', () => {
    const spent = { usage, model: 'model-a', isFinal: true };
    expect(priceAttempt(script, { ...without('truncated'), spent })).toEqual({ nanos: 2_000_000, isWhole: true });
  });

  test('whose stream was cut after message_start has a lower bound', () => {
    const spent = { usage: { inputTokens: 1000, outputTokens: 1 }, model: 'model-a', isFinal: false };
    expect(priceAttempt(script, { ...without('abandoned'), spent })).toEqual({ nanos: 1_010_000, isWhole: false });
  });

  test('without usage has an unknown price, unless it was refused before any work or never sent', () => {
    const free = attemptClassNames.filter((outcome) => {
      const price = priceAttempt(script, without(outcome));
      return price !== undefined && 'isWhole' in price && price.isWhole;
    });
    expect(free).toEqual([
      ...['missing_fields', 'chat_disabled', 'bad_request', 'unauthorized', 'forbidden'],
      ...['agent_not_found', 'not_found', 'rate_limited', 'connect_failed'],
    ]);
  });

  test('has no price in a scenario without cost and prices', () => {
    expect(priceAttempt({ cost: undefined, prices: undefined }, without('timed_out'))).toBeUndefined();
  });

  test('is priced by the function of the scenario, if it has one', () => {
    const reply = { text: 'Hi', id: undefined, data: { price: 0.0000000016 }, usage };
    const byData = { cost: (data: Readonly<Record<string, unknown>>) => Number(data['price']), prices };
    expect(priceAttempt(byData, { outcome: 'ok', detail: '', reply })).toEqual({ nanos: 2, isWhole: true });
    expect(priceAttempt(byData, without('timed_out'))).toEqual({ nanos: 0, isWhole: false });
    expect(priceAttempt(byData, { outcome: 'ok', detail: '', reply: { ...reply, data: {} } })).toHaveProperty(
      'problem',
    );
  });
});
