import { isObject } from '../../base/is-object.ts';
import { isMessageName } from './find-places.ts';
import { isSessionName, isSessionPath } from './id-names.ts';
import { placeholder } from './given-api.ts';
import { listIn, objectIn, resolved, textIn, type Json } from './openapi-json.ts';

/** Direction of a body: fields that only the other direction has are left out. */
export type Direction = 'request' | 'reply';

/** Returns the example of a media type, otherwise one by its schema. */
export function exampleOf(document: Json, media: Json, direction: Direction): unknown {
  const stated = statedIn(document, media);
  const hidden = direction === 'request' ? 'readOnly' : 'writeOnly';
  return stated ?? exampleBySchema(document, media['schema'], '', { depth: 0, made: { values: 0 }, hidden });
}

/** Returns the example of a media type or a parameter, or a value that its schema states. */
export function statedIn(document: Json, { example, examples, schema }: Json): unknown {
  const [named] = Object.values(objectIn(examples)).map((each) => objectIn(resolved(document, each))['value']);
  return example ?? named ?? statedBy(objectIn(resolved(document, schema)));
}

function statedBy({ const: only, example, examples, default: initial, enum: allowed }: Json, name = ''): unknown {
  const author = only === undefined ? authorOf(listIn(allowed), name) : undefined;
  return [only, author, example, listIn(examples)[0], initial, listIn(allowed)[0]].find((value) => value !== undefined);
}

/** Returns the user among the possible authors of a message. */
const authorOf = (allowed: readonly unknown[], name: string): unknown =>
  /^(?:role|author|sender|from|speaker|type)$/i.test(name)
    ? allowed.find((each) => /^(?:user|human)$/i.test(textIn(each)))
    : undefined;

interface Progress {
  depth: number;
  made: { values: number };
  /** Keyword of the fields that are left out. */
  hidden: 'readOnly' | 'writeOnly';
}

const maxDepth = 12;
/** Maximum number of values in an example: schemas that refer to each other describe any number. */
const maxValues = 1000;

/** Returns an example by a schema: required fields, and those with defaults or names of messages and sessions. */
function exampleBySchema(document: Json, given: unknown, name: string, progress: Progress): unknown {
  const { depth, made } = progress;
  const schema = objectIn(resolved(document, given));
  const { items, allOf, anyOf, oneOf, discriminator } = schema;
  const stated = statedBy(schema, name);
  if (stated !== undefined || depth > maxDepth || ++made.values > maxValues) return stated;
  const below = (each: unknown, key = name): unknown =>
    exampleBySchema(document, each, key, { ...progress, depth: depth + 1 });
  if (Array.isArray(allOf)) {
    const parts = [...(allOf as unknown[]), schema['properties'] === undefined ? {} : { ...schema, allOf: undefined }];
    return Object.assign({}, ...parts.map((each) => below(each)).filter(isObject)) as unknown;
  }
  const choices = [...listIn(anyOf), ...listIn(oneOf)];
  if (choices.length > 0) {
    const chosen = chooseSchema(document, choices, name, depth === 0 || isMessageName(name));
    return chosen === undefined ? null : discriminated(below(chosen), objectIn(discriminator), objectIn(chosen));
  }
  if (isObject(schema['properties'])) {
    const kept = keptFields(document, schema, name, progress);
    return Object.fromEntries(kept.map(([key, each]) => [key, below(each, key)]));
  }
  if (typeOf(schema) !== 'array') return scalarBy(schema, name);
  return items === undefined ? [] : [below(items)];
}

/** Returns the fields of an object that its example has. */
function keptFields(document: Json, schema: Json, name: string, { depth, hidden }: Progress): [string, unknown][] {
  const required = listIn(schema['required']);
  const fields = Object.entries(objectIn(schema['properties'])).filter(
    ([, each]) => objectIn(resolved(document, each))[hidden] !== true,
  );
  const hasMessage = fields.some(
    ([key, each]) => required.includes(key) && (isMessageName(key) || holds(document, each, isMessageName)),
  );
  return fields.filter(
    ([key, each]) =>
      required.includes(key) ||
      isSessionPath([name, key]) ||
      (depth === 0 && isMessageName(key)) ||
      'default' in objectIn(resolved(document, each)) ||
      holdsSession(document, each, key) ||
      (depth === 0 && !hasMessage && holds(document, each, isMessageName)),
  );
}

/** Returns the first choice with a message or a session, otherwise the first one; `undefined`: null is possible. */
function chooseSchema(document: Json, choices: readonly unknown[], name: string, isNeeded: boolean): unknown {
  const others = choices.filter((each) => typeOf(resolved(document, each)) !== 'null');
  const found =
    others.find((each) => holds(document, each, isMessageName)) ??
    others.find((each) => holdsSession(document, each, name));
  return found ?? (others.length === choices.length || isNeeded ? others[0] : undefined);
}

/** Sets the field that distinguishes choices to the name of the chosen one. */
function discriminated(example: unknown, { propertyName, mapping }: Json, { $ref }: Json): unknown {
  if (typeof propertyName !== 'string' || typeof $ref !== 'string' || !isObject(example)) return example;
  const schemaName = $ref.split('/').at(-1) ?? '';
  const [mapped] = Object.entries(objectIn(mapping)).find(([, value]) => value === $ref || value === schemaName) ?? [];
  const own = example[propertyName];
  const isStated = own !== undefined && own !== placeholder;
  return { ...example, [propertyName]: mapped ?? (isStated ? own : schemaName) };
}

/** Reports whether a value of this name contains the id of a session: in a field of such a name, or as the id of a session. */
function holdsSession(document: Json, given: unknown, name: string): boolean {
  const { properties } = objectIn(resolved(document, given));
  const isSession = Object.keys(objectIn(properties)).some((key) => isSessionPath([name, key]));
  return isSession || holds(document, given, isSessionName);
}

/** Reports whether an object has a field of such a name in any depth. */
function holds(
  document: Json,
  given: unknown,
  isWanted: (name: string) => boolean,
  seen = new Set<unknown>(),
): boolean {
  const schema = resolved(document, given);
  if (seen.has(schema)) return false;
  seen.add(schema);
  const { properties, items, allOf, anyOf, oneOf } = objectIn(schema);
  const fields = objectIn(properties);
  const parts = [...Object.values(fields), items, ...[allOf, anyOf, oneOf].flatMap(listIn)];
  return Object.keys(fields).some(isWanted) || parts.some((each) => holds(document, each, isWanted, seen));
}

/** Returns an example of a value that is neither a list nor has described fields. */
function scalarBy(schema: Json, name: string): unknown {
  const { minimum, exclusiveMinimum, format, minLength } = schema;
  const number =
    typeof minimum === 'number' ? minimum : typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : 1;
  const author = /^role$/i.test(name) ? 'user' : undefined;
  const text = byFormat[textIn(format)] ?? author ?? (isSessionName(name) ? 'session' : placeholder);
  const length = typeof minLength === 'number' ? Math.min(minLength, 1000) : 0;
  const byType: Json = {
    object: {},
    integer: number,
    number,
    boolean: false,
    null: null,
    string: text.padEnd(length, ` ${text}`),
  };
  if (schema['nullable'] === true && !isMessageName(name)) return null;
  return byType[String(typeOf(schema, isMessageName(name)))];
}

const byFormat: Readonly<Record<string, string>> = {
  uuid: '3f2b8c1e-7d4a-4c59-9b1f-5a6d7e8f9012',
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '00:00:00Z',
  duration: 'PT1S',
  email: 'user@example.com',
  uri: 'https://example.com',
  url: 'https://example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  byte: 'dGV4dA==',
};

/** Returns the type of a schema; `null` among several types, unless a value is needed. */
function typeOf(schema: unknown, isNeeded = false): unknown {
  const { type } = objectIn(schema);
  if (!Array.isArray(type)) return type;
  return type.includes('null') && !isNeeded ? 'null' : type.find((each) => each !== 'null');
}
