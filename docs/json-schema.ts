import { z } from 'zod';
import { isObject } from '../src/base/is-object.ts';
import { entryOf, kinds, schemaOf } from '../src/report/documents.ts';
import '../src/features.ts';

type Json = Record<string, unknown>;

/** Documents with a published schema, by the beginning of its file name. */
const published = new Map<string, z.ZodType>();
// One after another: jiti, which runs `npm run docs`, does not load modules that share imports concurrently.
for (const kind of kinds())
  if (entryOf(kind).isPublished === true) published.set(kind.slice('chat-load/'.length), await schemaOf(kind));
export const publishedNames = [...published.keys()];

/**
 * Returns the JSON Schema (draft 2020-12) of a document as it is written. Repeated parts are in `$defs`, under the
 * name of the first field that uses it.
 */
export function jsonSchemaOf(name: string): Json {
  const schema = published.get(name);
  if (schema === undefined) throw new Error(`no published schema ${name}`);
  const whole = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => withoutSafeLimits(jsonSchema),
  });
  return { title: `chat-load ${name.replace('-', ' ')}`, ...shareParts({ ...whole }) };
}

/** Range of exact integers in JavaScript; not a limit of the document. */
function withoutSafeLimits(schema: { minimum?: number; maximum?: number }): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

/** Smaller parts are shorter than a reference to them. */
const minShared = 90;

function shareParts(whole: Json): Json {
  const uses = new Map<string, number>();
  countUses(whole, uses);
  const parts = new Map<string, { name: string; schema: Json }>();
  const names = new Set<string>();
  const share = (schema: Json, path: readonly string[]): Json => {
    const { description, default: fallback, ...bare } = schema;
    const text = textOf(schema);
    if (path.length === 0 || text.length < minShared || (uses.get(text) ?? 0) < 2) return mapParts(schema, path, share);
    if (!parts.has(text)) {
      const name = freeName(path, names);
      const part = { name, schema: bare };
      parts.set(text, part);
      part.schema = mapParts(bare, path, share);
    }
    const reference = { $ref: `#/$defs/${parts.get(text)?.name ?? ''}` };
    return {
      ...reference,
      ...(description === undefined ? {} : { description }),
      ...(fallback === undefined ? {} : { default: fallback }),
    };
  };
  const shared = share(whole, []);
  return { ...shared, $defs: Object.fromEntries([...parts.values()].map(({ name, schema }) => [name, schema])) };
}

/** Counts a nested part once, in its shared part. */
function countUses(schema: Json, uses: Map<string, number>): void {
  const text = textOf(schema);
  const before = uses.get(text) ?? 0;
  uses.set(text, before + 1);
  if (before === 0)
    mapParts(schema, [], (part) => {
      countUses(part, uses);
      return part;
    });
}

/** Identifies a part; its description and default belong to the place of use. */
const textOf = (schema: Json): string => JSON.stringify({ ...schema, description: undefined, default: undefined });

/** Replaces nested schemas; the callback receives the path of each. */
function mapParts(schema: Json, path: readonly string[], map: (part: Json, path: readonly string[]) => Json): Json {
  const mapOne = (value: unknown, at: readonly string[]): unknown => (isObject(value) ? map(value, at) : value);
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === 'properties' && isObject(value))
        return [
          key,
          Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapOne(each, [...path, name])])),
        ];
      if (['items', 'additionalProperties', 'propertyNames'].includes(key)) return [key, mapOne(value, path)];
      if (['anyOf', 'oneOf', 'allOf'].includes(key) && Array.isArray(value))
        return [key, value.map((each) => mapOne(each, path))];
      return [key, value];
    }),
  );
}

/** Name of the field; if that is taken, prefixed with the names of the enclosing fields. */
function freeName(path: readonly string[], taken: Set<string>): string {
  const names = path.map((_, index) => path.slice(path.length - 1 - index).join('.'));
  const numbered = Array.from({ length: taken.size + 1 }, (_, index) => `${path.join('.')}.${String(index + 2)}`);
  const name = [...names, ...numbered].find((each) => !taken.has(each)) ?? path.join('.');
  taken.add(name);
  return name;
}
