import { describe, expect, test } from 'vitest';
import { ChatLoadError } from '../base/errors.ts';
import type { Usage } from '../protocol/protocol.ts';
import { readPricesFor } from '../../test/support/read-prices.ts';
import { costOfUsage, nanosPerUnit } from './prices.ts';
import { resolveScenario } from './resolve-scenario.ts';

/** The prices of the reference, and a model with only the required prices. */
const prices = {
  'model-a': {
    input: 1.25,
    cachedInput: 0.125,
    cacheWrite: 1.5625,
    cacheWrite1h: 2.5,
    output: 10,
    above: { inputTokens: 272_000, input: 2.5, cachedInput: 0.25, output: 15 },
  },
  'model-b': { input: 3, output: 15 },
  cheap: { input: 0.02, output: 0.02 },
  steps: {
    input: 1,
    output: 2,
    above: [
      { inputTokens: 100, input: 2, output: 4 },
      { inputTokens: 1000, input: 3, output: 6 },
    ],
  },
  asOf: '2026-11-01',
} as const;

const usage = (parts: Partial<Usage>): Usage => ({ inputTokens: undefined, outputTokens: undefined, ...parts });
const costBy = (model: string, parts: Partial<Usage>) => {
  const bands = readPricesFor(prices).of(model);
  if (bands === undefined) throw new Error(`no price of ${model}`);
  return costOfUsage(bands, usage(parts));
};

/** Calculated by hand, in the currency: tokens times the price per million, divided by a million. */
const worked: readonly [what: string, model: string, Partial<Usage>, cost: number, fallbacks?: string[]][] = [
  ['input and output', 'model-a', { inputTokens: 1000, outputTokens: 200 }, 0.00325],
  ['cached input', 'model-a', { inputTokens: 1000, cachedInputTokens: 800, outputTokens: 200 }, 0.00235],
  [
    'cache writes, some for an hour',
    'model-a',
    // 300 x 1.25 + 500 x 0.125 + 120 x 1.5625 + 80 x 2.5 + 10 x 10 = 375 + 62.5 + 187.5 + 200 + 100
    { inputTokens: 1000, cachedInputTokens: 500, cacheWriteTokens: 200, cacheWrite1hTokens: 80, outputTokens: 10 },
    0.000925,
  ],
  ['reasoning as output', 'model-a', { inputTokens: 0, outputTokens: 50, reasoningTokens: 40 }, 0.0005],
  ['a request at the limit', 'model-a', { inputTokens: 272_000, outputTokens: 0 }, 0.34],
  ['a request above it: all of its tokens', 'model-a', { inputTokens: 272_001, outputTokens: 1000 }, 0.6950025],
  [
    'a part without a price above the limit: as its input',
    'model-a',
    { inputTokens: 300_000, cachedInputTokens: 100_000, cacheWriteTokens: 100_000, outputTokens: 0 },
    // 100,000 x 2.5 + 100,000 x 0.25 + 100,000 x 2.5
    0.525,
    ['cacheWrite'],
  ],
  [
    'parts without a price: as input',
    'model-b',
    { inputTokens: 100, cachedInputTokens: 20, cacheWriteTokens: 30, cacheWrite1hTokens: 10, outputTokens: 1 },
    0.000315,
    ['cachedInput', 'cacheWrite', 'cacheWrite1h'],
  ],
  [
    'parts without a price and without tokens',
    'model-b',
    { inputTokens: 100, cachedInputTokens: 0, outputTokens: 1 },
    0.000315,
  ],
  ['ten cheap tokens', 'cheap', { inputTokens: 10, outputTokens: 0 }, 0.0000002],
  [
    'two cached tokens',
    'model-a',
    { inputTokens: 2, cachedInputTokens: 2, cacheWriteTokens: 0, outputTokens: 0 },
    0.00000025,
  ],
  ['the lowest band', 'steps', { inputTokens: 100, outputTokens: 100 }, 0.0003],
  ['the middle band', 'steps', { inputTokens: 101, outputTokens: 100 }, 0.000602],
  ['the highest band', 'steps', { inputTokens: 1001, outputTokens: 100 }, 0.003603],
  [
    'more cached tokens than input: never negative',
    'model-a',
    { inputTokens: 10, cachedInputTokens: 100, outputTokens: 0 },
    0.0000125,
  ],
];

describe('the cost of a usage', () => {
  test.each(worked)('of %s by %s', (_, model, parts, cost, fallbacks = []) => {
    expect(costBy(model, parts)).toEqual({ nanos: Math.round(cost * nanosPerUnit), isWhole: true, fallbacks });
  });

  test.each([
    [{ inputTokens: 1000 }, 0.00125],
    [{ outputTokens: 10 }, 0.0001],
    [{}, 0],
  ])('that reports only %j is a lower bound', (parts, cost) => {
    expect(costBy('model-a', parts)).toMatchObject({ nanos: cost * nanosPerUnit, isWhole: false });
  });
});

describe('the price of a model', () => {
  const pricing = readPricesFor(prices, 'model-b');
  const some = usage({ inputTokens: 1000, outputTokens: 0 });

  test('is the price of the name in the reply, then of the requested one', () => {
    expect(pricing.price(some, 'model-a').nanos).toBe(1_250_000);
    expect(pricing.price(some, 'model-b-2026-11-01').nanos).toBe(3_000_000);
    expect(pricing.price(some, undefined).nanos).toBe(3_000_000);
  });

  test('names the model of the reply if the requested one is priced instead', () => {
    expect(pricing.price(some, 'model-b-2026-11-01').substituted).toBe('model-b-2026-11-01');
    for (const model of ['model-a', 'model-b', '', undefined])
      expect(pricing.price(some, model).substituted).toBeUndefined();
    expect(pricing.price(some, 'a\u001b[31mb').substituted).toBe('a [31mb');
    expect(pricing.price(some, 'x'.repeat(101)).substituted).toBe('(others)');
    const many = readPricesFor(prices, 'model-b');
    for (let number = 0; number < 30; number++) many.price(some, `model-${String(number)}`);
    expect(many.price(some, 'model-3').substituted).toBe('model-3');
    expect(many.price(some, 'model-29').substituted).toBe('(others)');
  });

  test('names the model of a missing part price', () => {
    const cached = usage({ inputTokens: 1000, cachedInputTokens: 1, outputTokens: 0 });
    expect(pricing.price(cached, 'model-b-2026-11-01').fallbacks).toEqual(['model-b: cachedInput']);
  });

  test('that is unknown is missing and named; after twenty names, all others are counted together', () => {
    const unknown = readPricesFor(prices, 'model-x');
    expect(unknown.price(some, undefined)).toEqual({ nanos: 0, isWhole: false, unpriced: 'model-x' });
    expect(unknown.price(some, 'constructor').unpriced).toBe('(others)');
    expect(unknown.price(some, 'a\u001b[31mb').unpriced).toBe('a [31mb');
    for (let number = 0; number < 30; number++) unknown.price(some, `model-${String(number)}`);
    expect(unknown.price(some, 'model-3').unpriced).toBe('model-3');
    expect(unknown.price(some, 'model-29').unpriced).toBe('(others)');
  });
});

const litellm = {
  sample_spec: { input_cost_per_token: 0, output_cost_per_token: 0, litellm_provider: 'one of ...' },
  'gpt-x': {
    cache_read_input_token_cost: 5.46875e-7,
    cache_creation_input_token_cost: 2.5e-6,
    input_cost_per_token: 2.1875e-6,
    input_cost_per_token_above_272k_tokens: 4e-6,
    input_cost_per_token_above_272k_tokens_priority: 9e-6,
    cache_read_input_token_cost_above_272k_tokens: 4e-7,
    output_cost_per_token: 1.75e-5,
    output_cost_per_token_above_272k_tokens: 1.8e-5,
    litellm_provider: 'openai',
    mode: 'chat',
  },
  'claude-x': {
    cache_creation_input_token_cost: 3.75e-6,
    cache_creation_input_token_cost_above_1hr: 6e-6,
    cache_creation_input_token_cost_above_1hr_above_200k_tokens: 1.2e-5,
    cache_creation_input_token_cost_above_200k_tokens: 7.5e-6,
    cache_read_input_token_cost: 3e-7,
    input_cost_per_token: 3e-6,
    input_cost_per_token_above_200k_tokens: 6e-6,
    output_cost_per_token: 1.5e-5,
    litellm_provider: 'anthropic',
  },
  'dall-e': { output_cost_per_image: 0.04, litellm_provider: 'openai' },
};

const band = (
  aboveTokens: number,
  [input, cachedInput, cacheWrite, cacheWrite1h, output]: readonly [number, ...(number | undefined)[], number],
) => {
  const parts = { cachedInput, cacheWrite, cacheWrite1h };
  const missing = Object.entries(parts).flatMap(([name, price]) => (price === undefined ? [name] : []));
  const known = Object.fromEntries(Object.entries(parts).map(([name, price]) => [name, price ?? input]));
  return { aboveTokens, input, ...known, output, missing };
};

const scenario = { name: 'x', messages: ['Hi'], sessions: 1 };
const resolveWith = (given: unknown, file?: unknown) =>
  resolveScenario(
    { ...scenario, ...(given === undefined ? {} : { prices: given }) },
    { flags: {}, environment: {}, readPrices: () => file },
    'x.ts',
  );
const problemOf = (given: unknown, file?: unknown): string => {
  try {
    resolveWith(given, file);
  } catch (thrown) {
    if (thrown instanceof ChatLoadError) return thrown.message;
    throw thrown;
  }
  throw new Error('the prices were taken');
};

describe('prices', () => {
  test('of a scenario are in its plan as a digest, with their date and currency', () => {
    const { plan, script } = resolveWith(prices);
    expect(plan.prices).toEqual({ hash: expect.any(String) as string, currency: 'USD', asOf: '2026-11-01', models: 4 });
    expect(script.prices?.of('cheap')).toBeDefined();
    expect(resolveWith(undefined).plan.prices).toBeNull();
    expect(resolveWith({ ...prices, cheap: { input: 0.03, output: 0 } }).plan.prices?.hash).not.toBe(plan.prices?.hash);
    expect(resolveWith({ ...prices, currency: 'EUR' }).plan.prices?.currency).toBe('EUR');
    expect(JSON.stringify(plan)).not.toContain('1.5625');
  });

  test('of a file are read in the format of chat-load', () => {
    expect(resolveWith('prices.json', prices).plan.prices).toEqual(resolveWith(prices).plan.prices);
  });

  test('of a price map of LiteLLM are per token, in USD', () => {
    const { plan, script } = resolveWith('litellm.json', litellm);
    expect(plan.prices).toMatchObject({ currency: 'USD', asOf: null, models: 2 });
    expect(script.prices?.of('gpt-x')).toEqual([
      band(272_000, [4_000_000, 400_000, undefined, undefined, 18_000_000]),
      band(0, [2_187_500, 546_875, 2_500_000, undefined, 17_500_000]),
    ]);
    expect(script.prices?.of('claude-x')).toEqual([
      band(200_000, [6_000_000, undefined, 7_500_000, 12_000_000, 15_000_000]),
      band(0, [3_000_000, 300_000, 3_750_000, 6_000_000, 15_000_000]),
    ]);
  });

  test.each([
    [{}, 'prices: expected the prices of at least one model'],
    [5, 'prices: expected an object of prices by model'],
    [{ a: 5 }, 'prices.a: '],
    [{ a: { input: 1 } }, 'prices.a.output: expected a price per million tokens'],
    [{ a: { input: -1, output: 1 } }, 'prices.a.input: '],
    [{ a: { input: 1, output: 1, cached: 1 } }, "unknown key 'cached': did you mean 'cachedInput'?"],
    [{ a: { input: 1, output: 1, above: { input: 1, output: 1 } } }, 'inputTokens'],
    [{ a: { input: 1, output: 1 }, asOf: 'today' }, "prices.asOf: expected a date such as '2026-11-01'"],
    [{ a: { input: 1, output: 1 }, currency: 'euro' }, "prices.currency: expected a code such as 'USD'"],
  ])('%j are an error', (given, words) => {
    expect(problemOf(given)).toContain(words);
  });

  test.each([
    [
      'prices.json',
      { a: { input: 1 } },
      'prices: prices.json is not a list of prices: a.output: expected a price per million tokens',
    ],
    ['prices.json', [], 'prices: prices.json is not a list of prices: expected an object of prices by model'],
    ['litellm.json', { 'dall-e': litellm['dall-e'] }, 'expected the prices of at least one model'],
  ])('of the file %s with %j are an error', (file, content, words) => {
    expect(problemOf(file, content)).toContain(words);
  });

  test.each([
    ['it is not JSON', new SyntaxError('x')],
    ['no such file or folder', Object.assign(new Error('x'), { code: 'ENOENT' })],
  ])('of a file that cannot be read are an error: %s', (words, thrown) => {
    const readPrices = () => {
      throw thrown;
    };
    const resolved = () =>
      resolveScenario({ ...scenario, prices: 'p.json' }, { flags: {}, environment: {}, readPrices }, 'x.ts');
    expect(resolved).toThrow(`prices: p.json cannot be read: ${words}`);
  });

  test('of a flag replace those of the scenario, relative to the working directory', () => {
    const asked: unknown[] = [];
    const readPrices = (...given: unknown[]) => {
      asked.push(given);
      return prices;
    };
    resolveScenario({ ...scenario, prices: 'a.json' }, { flags: {}, environment: {}, readPrices });
    const { plan } = resolveScenario(
      { ...scenario, prices: 'a.json' },
      { flags: { prices: 'b.json' }, environment: {}, readPrices },
    );
    expect(asked).toEqual([
      ['a.json', true],
      ['b.json', false],
    ]);
    expect(plan.options['prices']).toEqual({ value: 'b.json', from: 'flag' });
  });

  test('allow a cap on cost', () => {
    expect(resolveScenario({ ...scenario, prices, maxCost: 1 }, { flags: {}, environment: {} }).plan.maxCost).toBe(1);
    expect(() => resolveScenario({ ...scenario, maxCost: 1 }, { flags: {}, environment: {} })).toThrow(
      'or prices (--prices FILE)',
    );
  });
});
