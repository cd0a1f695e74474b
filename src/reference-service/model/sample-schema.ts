import { isObject, valueAt } from '../../base/is-object.ts';
import type { Random } from '../../base/random.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Deeper values are as small as their schema allows. */
const maxDepth = 6;
/** Deeper than any value that ends: a schema that requires itself has none. */
const endDepth = 24;
const maxItems = 200;
/** Maximum number of values and references of one sample: nested minimums and recursion would multiply them without limit. */
const maxSteps = 20_000;
/** Characters that count as one value. */
const charactersPerStep = 100;

/**
 * Returns a value that satisfies a JSON schema, as far as the common keywords decide that. A schema that no value of a usual
 * size satisfies has `null` for the rest.
 */
export function sampleSchema(schema: unknown, draw: Random): unknown {
  return new Sampler(schema, draw).value(schema, 0);
}

class Sampler {
  readonly #root: unknown;
  readonly #draw: Random;
  #stepsLeft = maxSteps;

  constructor(root: unknown, draw: Random) {
    this.#root = root;
    this.#draw = draw;
  }

  value(given: unknown, depth: number): unknown {
    if (depth > endDepth || this.#stepsLeft-- <= 0) return null;
    if (!isObject(given)) return {};
    const schema = this.#resolved(given);
    if ('const' in schema) return schema['const'];
    const values = listIn(schema, 'enum');
    if (values.length > 0) return this.#oneOf(values);
    const forms = listIn(schema, Array.isArray(schema['anyOf']) ? 'anyOf' : 'oneOf');
    if (forms.length > 0) return this.#formOf(schema, forms, depth);
    switch (this.#typeOf(schema, depth)) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return this.#array(schema, depth);
      case 'integer':
        return this.#number(schema, true);
      case 'number':
        return this.#number(schema, false);
      case 'boolean':
        return this.#draw() < 0.5;
      case 'null':
        return null;
      default:
        return this.#text(schema);
    }
  }

  /** Follows references, and merges the parts of `allOf`. */
  #resolved(given: Schema, steps = 0): Schema {
    if (steps >= endDepth || this.#stepsLeft-- <= 0) return given;
    const { $ref: reference, allOf, ...own } = given;
    const parts: unknown[] = [
      ...(typeof reference === 'string' ? [this.#find(reference)] : []),
      own,
      ...(Array.isArray(allOf) ? (allOf as unknown[]) : []),
    ];
    return parts
      .filter(isObject)
      .map((part) => (part === own ? own : this.#resolved(part, steps + 1)))
      .reduce(merge);
  }

  #find(reference: string): unknown {
    const parts = reference.replace(/^#\/?/, '').split('/').filter(Boolean);
    return valueAt(
      this.#root,
      parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')),
    );
  }

  /** Deep values take the first form that is not an object or a list. */
  #formOf(schema: Schema, forms: readonly unknown[], depth: number): unknown {
    const isFlat = (form: unknown): boolean => isObject(form) && !isNested(this.#resolved(form));
    const flat = depth >= maxDepth ? forms.find(isFlat) : undefined;
    const form = flat ?? this.#oneOf(forms);
    const rest = { ...schema, anyOf: undefined, oneOf: undefined };
    return this.value(isObject(form) ? merge(rest, this.#resolved(form)) : rest, depth + 1);
  }

  #typeOf(schema: Schema, depth: number): unknown {
    const { type } = schema;
    if (Array.isArray(type))
      return type.includes('null') && depth >= maxDepth ? 'null' : type.find((each) => each !== 'null');
    if (type !== undefined) return type;
    if ('properties' in schema || 'required' in schema || 'additionalProperties' in schema) return 'object';
    if ('items' in schema || 'prefixItems' in schema) return 'array';
    return 'minimum' in schema || 'maximum' in schema ? 'number' : 'string';
  }

  #object(schema: Schema, depth: number): object {
    const properties = isObject(schema['properties']) ? schema['properties'] : {};
    const required = listIn(schema, 'required').map(String);
    const made: Record<string, unknown> = {};
    for (const name of new Set([...required, ...Object.keys(properties)])) {
      const isOptional = !required.includes(name);
      if (isOptional && (depth >= maxDepth || this.#draw() < 0.5)) continue;
      const value = this.value(Object.hasOwn(properties, name) ? properties[name] : { type: 'string' }, depth + 1);
      Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true });
    }
    const { additionalProperties: more } = schema;
    for (let index = 1; Object.keys(made).length < numberIn(schema, 'minProperties', 0) && index <= maxItems; index++)
      made[`key${String(index)}`] = this.value(isObject(more) ? more : { type: 'string' }, depth + 1);
    return made;
  }

  #array(schema: Schema, depth: number): unknown[] {
    const first = listIn(schema, 'prefixItems');
    const min = Math.min(maxItems, numberIn(schema, 'minItems', 0));
    const usualMax = Math.max(min, first.length, 3);
    const max = Math.min(numberIn(schema, 'maxItems', usualMax), usualMax);
    const isDeep = depth >= maxDepth;
    const count = isDeep ? Math.max(min, first.length) : min + Math.floor(this.#draw() * (max - min + 1));
    const made: unknown[] = [];
    const known = new Set<string>();
    for (let tries = 0; made.length < count && tries < count * 10; tries++) {
      const value = this.value(first[made.length] ?? schema['items'] ?? { type: 'string' }, depth + 1);
      const text = JSON.stringify(value);
      if (schema['uniqueItems'] === true && known.has(text)) continue;
      known.add(text);
      made.push(value);
    }
    return made;
  }

  #number(schema: Schema, isWhole: boolean): number {
    const step = numberIn(schema, 'multipleOf', isWhole ? 1 : 0);
    const lower = Math.max(numberIn(schema, 'minimum', -Infinity), numberIn(schema, 'exclusiveMinimum', -Infinity));
    const upper = Math.min(numberIn(schema, 'maximum', Infinity), numberIn(schema, 'exclusiveMaximum', Infinity));
    const span = 100 * Math.max(1, step);
    const from = lower === -Infinity ? (upper === Infinity ? 1 : upper - span) : lower;
    const to = upper === Infinity ? from + span : upper;
    if (step === 0) {
      // Strictly between the bounds, unless they are equal.
      const value = from + (0.1 + 0.8 * this.#draw()) * (to - from);
      const rounded = Number(value.toFixed(3));
      return rounded > from && rounded < to ? rounded : value;
    }
    const isBelow = schema['exclusiveMinimum'] === from && from === lower;
    const isAbove = schema['exclusiveMaximum'] === to && to === upper;
    const first = isBelow ? Math.floor(from / step) + 1 : Math.ceil(from / step);
    const last = isAbove ? Math.ceil(to / step) - 1 : Math.floor(to / step);
    const picked = (first + Math.floor(this.#draw() * Math.max(1, last - first + 1))) * step;
    return Number(picked.toPrecision(15));
  }

  #text(schema: Schema): string {
    const format = formats[String(schema['format'])];
    if (format !== undefined) return format(this.#draw);
    const min = Math.min(numberIn(schema, 'minLength', 0), 10_000);
    let text = this.#oneOf(words);
    while (text.length < min) text += ` ${this.#oneOf(words)}`;
    this.#stepsLeft -= Math.floor(text.length / charactersPerStep);
    return text.slice(0, numberIn(schema, 'maxLength', Infinity)).replace(/ $/, 's');
  }

  #oneOf<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.#draw() * values.length)] as Value;
  }
}

const isNested = ({ type, properties, items, anyOf, oneOf }: Schema): boolean =>
  type === 'object' || type === 'array' || [properties, items, anyOf, oneOf].some((part) => part !== undefined);

function listIn(schema: Schema, name: string): readonly unknown[] {
  const list = schema[name];
  return Array.isArray(list) ? list : [];
}

function numberIn(schema: Schema, name: string, otherwise: number): number {
  const value = schema[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

/** Merges two schemas; properties and required names of both count. */
function merge(one: Schema, other: Schema): Schema {
  const both = { ...one, ...other };
  for (const name of ['properties', '$defs', 'definitions'])
    if (isObject(one[name]) && isObject(other[name])) both[name] = { ...one[name], ...other[name] };
  const required = new Set([...listIn(one, 'required'), ...listIn(other, 'required')]);
  return required.size === 0 ? both : { ...both, required: [...required] };
}

const words = ['blue', 'order', 'Berlin', 'north', 'summer', 'paper', 'garden', 'quick', 'seven', 'violet'];

const digits = (draw: Random, count: number): string =>
  Array.from({ length: count }, () => Math.floor(draw() * 16).toString(16)).join('');
const two = (draw: Random, max: number): string => String(1 + Math.floor(draw() * max)).padStart(2, '0');
const date = (draw: Random): string => `2026-${two(draw, 12)}-${two(draw, 28)}`;
const time = (draw: Random): string => `${two(draw, 23)}:${two(draw, 59)}:00Z`;

const formats: Readonly<Record<string, (draw: Random) => string>> = {
  date,
  time,
  'date-time': (draw) => `${date(draw)}T${time(draw)}`,
  email: (draw) => `user${digits(draw, 4)}@example.com`,
  uri: (draw) => `https://example.com/${digits(draw, 6)}`,
  url: (draw) => `https://example.com/${digits(draw, 6)}`,
  uuid: (draw) => `${digits(draw, 8)}-${digits(draw, 4)}-4${digits(draw, 3)}-8${digits(draw, 3)}-${digits(draw, 12)}`,
  ipv4: (draw) => `192.0.2.${String(1 + Math.floor(draw() * 254))}`,
  hostname: (draw) => `host-${digits(draw, 4)}.example.com`,
};
