import { type ChatLoadError, usageError } from '../../base/errors.ts';
import { isObject, valueAt } from '../../base/is-object.ts';
import { isMessageName, isSessionName } from './find-places.ts';
import { placeholder } from './given-api.ts';

export type Json = Readonly<Record<string, unknown>>;

/** Returns the example of a media type, otherwise one by its schema. */
export function exampleOf(document: Json, media: Json): unknown {
  return statedIn(document, media) ?? exampleBySchema(document, media['schema'], '', { depth: 0, made: { values: 0 } });
}

/** Returns the example of a media type or a parameter, or a value that its schema states. */
export function statedIn(document: Json, { example, examples, schema }: Json): unknown {
  const [named] = Object.values(objectIn(examples)).map((each) => objectIn(resolved(document, each))['value']);
  return example ?? named ?? statedBy(objectIn(resolved(document, schema)));
}

const statedBy = ({ const: only, example, examples, default: initial, enum: allowed }: Json): unknown =>
  [only, example, listIn(examples)[0], initial, listIn(allowed)[0]].find((value) => value !== undefined);

interface Progress {
  depth: number;
  made: { values: number };
}

const maxDepth = 12;
/** Maximum number of values in an example: schemas that refer to each other describe any number. */
const maxValues = 1000;

/** Returns an example by a schema: required fields, and those with defaults or names of messages and sessions. */
function exampleBySchema(document: Json, given: unknown, name: string, { depth, made }: Progress): unknown {
  const schema = objectIn(resolved(document, given));
  const { properties, items, allOf, anyOf, oneOf } = schema;
  const stated = statedBy(schema);
  if (stated !== undefined || depth > maxDepth || ++made.values > maxValues) return stated;
  const below = (each: unknown, key = name): unknown =>
    exampleBySchema(document, each, key, { depth: depth + 1, made });
  if (Array.isArray(allOf)) {
    const parts = [...(allOf as unknown[]), properties === undefined ? {} : { ...schema, allOf: undefined }];
    return Object.assign({}, ...parts.map((each) => below(each)).filter(isObject)) as unknown;
  }
  const choices = [...listIn(anyOf), ...listIn(oneOf)];
  if (choices.length > 0) return choices.some((each) => typeOf(each) === 'null') ? null : below(choices[0]);
  if (isObject(properties)) {
    const required = listIn(schema['required']);
    const kept = Object.entries(properties).filter(
      ([key, each]) =>
        required.includes(key) ||
        isSessionName(key) ||
        (depth === 0 && isMessageName(key)) ||
        'default' in objectIn(resolved(document, each)),
    );
    return Object.fromEntries(kept.map(([key, each]) => [key, below(each, key)]));
  }
  const number = typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
  const byType: Json = {
    array: items === undefined ? [] : [below(items)],
    object: {},
    integer: number,
    number,
    boolean: false,
    null: null,
    string: isSessionName(name) ? 'session' : placeholder,
  };
  return byType[String(typeOf(schema))];
}

/** Returns the type of a schema; `null` among several types. */
function typeOf(schema: unknown): unknown {
  const { type } = objectIn(schema);
  return Array.isArray(type) ? (type.includes('null') ? 'null' : type[0]) : type;
}

/** Follows references within the document. Throws a usage error for another one. */
export function resolved(document: Json, value: unknown, followed: readonly string[] = []): unknown {
  const { $ref } = objectIn(value);
  if (typeof $ref !== 'string') return value;
  if (!$ref.startsWith('#/'))
    throw refusal(
      `the reference ${$ref} leads out of the file`,
      'Bundle the description into one file, for example with npx @redocly/cli bundle FILE.',
    );
  const path = $ref
    .slice(2)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
  const found = valueAt(document, path);
  const isCircular = followed.includes($ref);
  if (found === undefined || isCircular)
    throw refusal(`the reference ${$ref} ${isCircular ? 'is circular' : 'leads nowhere'}`, 'Correct the description.');
  return resolved(document, found, [...followed, $ref]);
}

export function textIn(value: unknown): string {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : '';
}

export function objectIn(value: unknown): Json {
  return isObject(value) ? value : {};
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function refusal(fault: string, hint: string, cause?: unknown): ChatLoadError {
  return usageError(`--from-openapi: ${fault}.`, `Nothing was written. ${hint}`, cause);
}
