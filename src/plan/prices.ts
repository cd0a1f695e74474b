import { printable } from '../base/printable.ts';
import type { Usage } from '../protocol/protocol.ts';
import type { ReadModelPrices, ReadPrices } from '../scenario/price-options.ts';

/** Costs are whole billionths of a currency: sums merge exactly, and ten tokens at 0.02 per million are 200 of them. */
export const nanosPerUnit = 1e9;

/** Returns a cost in whole billionths. */
export function nanosOf(cost: number): number {
  return Math.round(cost * nanosPerUnit);
}

/** Parts of the input with a price of their own. */
type InputPart = 'cachedInput' | 'cacheWrite' | 'cacheWrite1h';

/** Prices in trillionths per token, which are whole numbers. */
interface Band extends Readonly<Partial<Record<InputPart, number>>> {
  /** Applies to requests with more tokens of input. */
  readonly aboveTokens: number;
  readonly input: number;
  readonly output: number;
}

/** The bands of a model, the highest first. */
export type ModelPrice = readonly [Band, ...Band[]];

export interface UsageCost {
  nanos: number;
  /** False if input or output is not reported: a lower bound. */
  isWhole: boolean;
  /** Parts without a price of their own, which cost as much as other input. */
  fallbacks: readonly InputPart[];
}

const noFallbacks: readonly InputPart[] = [];

/** Returns the cost of a usage. What is not reported counts as 0. */
export function costOfUsage(bands: ModelPrice, usage: Usage): UsageCost {
  const { inputTokens, outputTokens, cachedInputTokens: cached = 0, cacheWriteTokens: written = 0 } = usage;
  const input = inputTokens ?? 0;
  const hour = usage.cacheWrite1hTokens ?? 0;
  const band = bands.find(({ aboveTokens }) => input > aboveTokens) ?? bands[bands.length - 1] ?? bands[0];
  const picos =
    Math.max(0, input - cached - written) * band.input +
    cached * (band.cachedInput ?? band.input) +
    Math.max(0, written - hour) * (band.cacheWrite ?? band.input) +
    hour * (band.cacheWrite1h ?? band.input) +
    (outputTokens ?? 0) * band.output;
  const isWhole = inputTokens !== undefined && outputTokens !== undefined;
  const isPriced =
    (cached === 0 || band.cachedInput !== undefined) &&
    (written <= hour || band.cacheWrite !== undefined) &&
    (hour === 0 || band.cacheWrite1h !== undefined);
  if (isPriced) return { nanos: Math.round(picos / 1000), isWhole, fallbacks: noFallbacks };
  const counts = { cachedInput: cached, cacheWrite: written - hour, cacheWrite1h: hour };
  const parts = Object.keys(counts) as InputPart[];
  const fallbacks = parts.filter((part) => counts[part] > 0 && band[part] === undefined);
  return { nanos: Math.round(picos / 1000), isWhole, fallbacks };
}

/** Price of an attempt. */
export interface Price {
  nanos: number;
  /** False if the cost is not known, or only a lower bound. */
  isWhole: boolean;
  /** The model, if it has no price. */
  unpriced?: string | undefined;
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

  constructor(models: ReadonlyMap<string, ModelPrice>, requested: string) {
    this.#models = models;
    this.#requested = requested;
  }

  /** Returns the price of a model; `undefined`: unknown. */
  of(model: string | undefined): ModelPrice | undefined {
    return (model === undefined ? undefined : this.#models.get(model)) ?? this.#models.get(this.#requested);
  }

  price(usage: Usage, model: string | undefined): Price {
    const bands = this.of(model);
    if (bands === undefined) return this.#unpricedBy(nameOf(model ?? this.#requested));
    const { nanos, isWhole, fallbacks } = costOfUsage(bands, usage);
    if (fallbacks.length === 0) return { nanos, isWhole };
    const name = model !== undefined && this.#models.has(model) ? model : this.#requested;
    return { nanos, isWhole, fallbacks: fallbacks.map((part) => `${nameOf(name)}: ${part}`) };
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

/** Names are keys of counters. */
function nameOf(model: string): string {
  const name = printable(model).slice(0, 100);
  if (name === '') return unnamed;
  return name in {} ? others : name;
}

/** Compiles the prices of a scenario. */
export function pricingOf({ models }: ReadPrices, requested: string): Pricing {
  return new Pricing(new Map(Object.entries(models).map(([name, model]) => [name, bandsOf(model)])), requested);
}

const bandsOf = ({ above = [], ...base }: ReadModelPrices): ModelPrice => {
  const higher = above
    .map(({ inputTokens, ...prices }) => bandOf(inputTokens, prices))
    .toSorted((one, other) => other.aboveTokens - one.aboveTokens);
  const [first, ...rest] = [...higher, bandOf(0, base)];
  return [first ?? bandOf(0, base), ...rest];
};

/** Prices per million tokens with up to six decimals are whole trillionths per token. */
const picosOf = (perMillion: number): number => Math.round(perMillion * 1e6);

function bandOf(aboveTokens: number, { input, output, ...parts }: Omit<ReadModelPrices, 'above'>): Band {
  const known = Object.entries(parts).flatMap(([part, price]) => (price === undefined ? [] : [[part, picosOf(price)]]));
  return { aboveTokens, input: picosOf(input), output: picosOf(output), ...Object.fromEntries(known) };
}
