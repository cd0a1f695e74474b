import { z } from 'zod';
import { isObject } from '../base/is-object.ts';
import { closedObject, readWith } from './closed-object.ts';

const price = z.number({ error: 'expected a price per million tokens' }).min(0).max(1e9);

const tokenPrices = {
  input: price,
  cachedInput: price.optional(),
  cacheWrite: price.optional(),
  cacheWrite1h: price.optional(),
  output: price,
};
const band = closedObject({ inputTokens: z.int().min(1), ...tokenPrices });
const modelPrices = closedObject({
  ...tokenPrices,
  above: z.preprocess((given): unknown => [given].flat(), z.array(band).min(1)).optional(),
});
export type ReadModelPrices = z.output<typeof modelPrices>;

const asOf = z.string().regex(/^\d{4}-\d\d-\d\d$/, "expected a date such as '2026-11-01'");
const currency = z.string().regex(/^[A-Z]{3}$/, "expected a code such as 'USD'");
const dataOf = { asOf: asOf.optional(), currency: currency.default('USD') };

/** Reads a list of prices: an object by the names of the models, besides its date and currency. */
export const priceList = z
  .custom<Readonly<Record<string, unknown>>>(isObject, { error: 'expected an object of prices by model' })
  .pipe(
    z
      .object(dataOf)
      .catchall(modelPrices)
      .transform(({ asOf, currency, ...models }) => ({ asOf, currency, models })),
  )
  .refine(({ models }) => Object.keys(models).length > 0, { error: 'expected the prices of at least one model' });
export type ReadPrices = z.output<typeof priceList>;

/** Prices in the scenario, or the name of a file. */
export const pricesOption = z
  .custom<PriceList | string>()
  .transform((given, context): ReadPrices | string =>
    typeof given === 'string' ? given : readWith<ReadPrices>(priceList, given, context),
  );

/** Prices of a model per million tokens. A missing part price of the input falls back to `input`. */
export interface ModelPrices {
  readonly input: number;
  /** Input read from a cache. */
  readonly cachedInput?: number;
  /** Input written to a cache. */
  readonly cacheWrite?: number;
  /** Input written to a cache and kept for an hour. */
  readonly cacheWrite1h?: number;
  /** Output, reasoning included. */
  readonly output: number;
  /** Prices of requests with more than `inputTokens` tokens of input. */
  readonly above?: AbovePrices | readonly AbovePrices[];
}
export interface AbovePrices extends Omit<ModelPrices, 'above'> {
  readonly inputTokens: number;
}

/** Prices by model, as replies name it or as requested; `asOf` is their date, `currency` a code (default `USD`). */
export interface PriceList {
  readonly [model: string]: ModelPrices | string | undefined;
  readonly asOf?: string;
  readonly currency?: string;
}

type LiteLlmModel = Readonly<Record<string, unknown>>;

/** Returns the prices in a parsed file: chat-load's format unchanged, LiteLLM's price map (USD per token) converted. */
export function pricesIn(parsed: unknown): unknown {
  if (!isObject(parsed) || !Object.values(parsed).some(isLiteLlm)) return parsed;
  return Object.fromEntries(
    Object.entries(parsed).flatMap(([name, model]) => {
      const read = isLiteLlm(model) && name !== 'sample_spec' ? fromLiteLlm(model) : undefined;
      return read === undefined ? [] : [[name, read]];
    }),
  );
}

const isLiteLlm = (model: unknown): model is LiteLlmModel =>
  isObject(model) && ('litellm_provider' in model || 'input_cost_per_token' in model);

/** Returns the prices of a model that is priced by its tokens; `undefined` for others, such as those of images. */
function fromLiteLlm(model: LiteLlmModel): ModelPrices | undefined {
  const base = bandOf(model, '');
  if (base === undefined) return undefined;
  const above = Object.keys(model).flatMap((name): AbovePrices[] => {
    const [, suffix, digits, unit] = /^input_cost_per_token(_above_(\d+)(k?)_tokens)$/.exec(name) ?? [];
    const prices = suffix === undefined ? undefined : bandOf(model, suffix, base.output);
    return prices === undefined ? [] : [{ inputTokens: Number(digits) * (unit === 'k' ? 1000 : 1), ...prices }];
  });
  return above.length === 0 ? base : { ...base, above };
}

function bandOf(model: LiteLlmModel, suffix: string, usualOutput?: number): ModelPrices | undefined {
  const at = (name: string): number | undefined => perMillion(model[`${name}${suffix}`]);
  const [input, output] = [at('input_cost_per_token'), at('output_cost_per_token') ?? usualOutput];
  if (input === undefined || output === undefined) return undefined;
  const parts = {
    cachedInput: at('cache_read_input_token_cost'),
    cacheWrite: at('cache_creation_input_token_cost'),
    cacheWrite1h: at('cache_creation_input_token_cost_above_1hr'),
  };
  return { input, output, ...Object.fromEntries(Object.entries(parts).filter(([, price]) => price !== undefined)) };
}

/** Returns a price per million tokens, rounded to millionths, because a price per token is not a round binary number. */
const perMillion = (perToken: unknown): number | undefined =>
  typeof perToken === 'number' && perToken >= 0 ? Math.round(perToken * 1e12) / 1e6 : undefined;
