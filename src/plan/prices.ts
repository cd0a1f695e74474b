import { printable } from '../base/printable.ts';
import type { Usage } from '../protocol/protocol.ts';
import type { ReadModelPrices, ReadPrices } from '../scenario/price-options.ts';

/** Costs are whole billionths of a currency: sums merge exactly, and ten tokens at 0.02 per million are 200 of them. */
export const nanosPerUnit = 1e9;

/** Returns a cost in whole billionths. */
export function nanosOf(cost: number): number {
  return Math.round(cost * nanosPerUnit);
}

const inputParts = ['cachedInput', 'cacheWrite', 'cacheWrite1h'] as const;
/** Part of the input with a separate price. */
type InputPart = (typeof inputParts)[number];

/** Prices in trillionths per token, which are whole numbers. */
interface Band extends Readonly<Record<'input' | InputPart | 'output', number>> {
  /** Applies to requests with more tokens of input. */
  readonly aboveTokens: number;
  /** Parts without a separate price, which cost as much as other input. */
  readonly missing: readonly InputPart[];
}

/** The bands of a model, the highest first; the last applies to every request. */
export type ModelPrice = readonly Band[];

export interface UsageCost {
  nanos: number;
  /** False if input or output is not reported: a lower bound. */
  isWhole: boolean;
  /** Parts that were priced as other input. */
  fallbacks: readonly InputPart[];
}

/** Returns the cost of a usage. Unreported counts are 0. */
export function costOfUsage(bands: ModelPrice, usage: Usage): UsageCost {
  const { inputTokens: input = 0, outputTokens: output = 0, cachedInputTokens: cachedInput = 0 } = usage;
  const { cacheWriteTokens: written = 0, cacheWrite1hTokens: cacheWrite1h = 0 } = usage;
  const tokens = { cachedInput, cacheWrite: Math.max(0, written - cacheWrite1h), cacheWrite1h };
  const band = bands.find(({ aboveTokens }) => input > aboveTokens) ?? bands.at(-1);
  if (band === undefined) throw new Error('a model has no prices');
  const rest = Math.max(0, input - cachedInput - written);
  const picos = inputParts.reduce(
    (sum, part) => sum + tokens[part] * band[part],
    rest * band.input + output * band.output,
  );
  return {
    nanos: Math.round(picos / 1000),
    isWhole: usage.inputTokens !== undefined && usage.outputTokens !== undefined,
    fallbacks: band.missing.filter((part) => tokens[part] > 0),
  };
}

/** Price of an attempt. */
export interface Price {
  nanos: number;
  /** False if the cost is not known, or only a lower bound. */
  isWhole: boolean;
  /** The model, if it has no price. */
  unpriced?: string | undefined;
  /** The model that the reply names, if it has no price and the requested model is priced instead. */
  substituted?: string | undefined;
  /** Parts that were priced as other input, as `model: part`. */
  fallbacks?: readonly string[] | undefined;
}

const unnamed = '(not named)';
const others = '(others)';
/** A service may name a new model in every reply. */
const maxUnpriced = 20;

/** Prices of models, by the name in the reply, then by the requested name. */
export class Pricing {
  readonly #models: ReadonlyMap<string, ModelPrice>;
  readonly #requested: string;
  readonly #unpriced = new Map<string, Price>();
  /** Names of models that were priced as the requested one, by the name in the reply. */
  readonly #substituted = new Map<string, string>();

  constructor(models: ReadonlyMap<string, ModelPrice>, requested: string) {
    this.#models = models;
    this.#requested = requested;
  }

  /** Returns the price of a model; `undefined`: unknown. */
  of(model: string | undefined, requested = this.#requested): ModelPrice | undefined {
    return (model === undefined ? undefined : this.#models.get(model)) ?? this.#models.get(requested);
  }

  /** Returns the price of a usage; `requested` replaces the name that is requested by default. */
  price(usage: Usage, model: string | undefined, requested = this.#requested): Price {
    const bands = this.of(model, requested);
    if (bands === undefined) return this.#unpricedBy(nameOf(model ?? requested));
    const { nanos, isWhole, fallbacks } = costOfUsage(bands, usage);
    const isPriced = model !== undefined && this.#models.has(model);
    const price: Price = { nanos, isWhole };
    if (!isPriced && model !== undefined && model !== '') price.substituted = this.#substitutedBy(model);
    if (fallbacks.length > 0)
      price.fallbacks = fallbacks.map((part) => `${nameOf(isPriced ? model : requested)}: ${part}`);
    return price;
  }

  #substitutedBy(model: string): string {
    const known = this.#substituted.get(model);
    if (known !== undefined) return known;
    const isNew = this.#substituted.size < maxUnpriced;
    const name = isNew ? nameOf(model) : others;
    if (isNew) this.#substituted.set(model, name);
    return name;
  }

  #unpricedBy(name: string): Price {
    const known = this.#unpriced.get(name);
    if (known !== undefined) return known;
    const isNew = this.#unpriced.size < maxUnpriced;
    const price: Price = { nanos: 0, isWhole: false, unpriced: isNew ? name : others };
    if (isNew) this.#unpriced.set(name, price);
    return price;
  }
}

/**
 * Names are keys of counters. They are never shortened, because a secret in a shortened name could no longer be
 * recognized.
 */
function nameOf(model: string): string {
  if (model === '') return unnamed;
  return model.length > 100 || model in {} ? others : printable(model);
}

/** Returns the bands of models by their names. */
export function pricesByModel({ models }: Pick<ReadPrices, 'models'>): Map<string, ModelPrice> {
  return new Map(Object.entries(models).map(([name, model]) => [name, bandsOf(model)]));
}

/** Compiles the prices of a scenario. */
export function pricingOf({ models }: ReadPrices, requested: string): Pricing {
  return new Pricing(pricesByModel({ models }), requested);
}

const bandsOf = ({ above = [], ...base }: ReadModelPrices): ModelPrice =>
  [{ inputTokens: 0, ...base }, ...above].map(bandOf).toSorted((one, other) => other.aboveTokens - one.aboveTokens);

/** Prices per million tokens with up to six decimals are whole trillionths per token. */
const picosOf = (perMillion: number): number => Math.round(perMillion * 1e6);

const bandOf = ({ inputTokens, input, output, ...parts }: NonNullable<ReadModelPrices['above']>[number]): Band => ({
  aboveTokens: inputTokens,
  input: picosOf(input),
  cachedInput: picosOf(parts.cachedInput ?? input),
  cacheWrite: picosOf(parts.cacheWrite ?? input),
  cacheWrite1h: picosOf(parts.cacheWrite1h ?? input),
  output: picosOf(output),
  missing: inputParts.filter((part) => parts[part] === undefined),
});
