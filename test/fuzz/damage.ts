import { groupBy } from '../../src/base/group-by.ts';
import fc from 'fast-check';
import { pollution } from './fuzz.ts';
import { loadedNames, weirdText } from './weird.ts';

const oddJson = fc.oneof(
  fc.jsonValue({ stringUnit: 'binary' }),
  fc.constantFrom<fc.JsonValue>(1e308, -1, 1e-320, 2 ** 53, '', null, [], {}, true),
  weirdText,
  fc.constantFrom(`\u0000RAW1e999`, `\u0000RAW${'['.repeat(20_000)}${']'.repeat(20_000)}`),
  fc.constant(pollution),
);

/** Changes to a document as a tree: the numbers select the changed paths. */
export const changes = fc.array(
  fc.record({
    place: fc.nat(),
    depth: fc.nat({ max: 12 }),
    kind: fc.constantFrom('set', 'remove', 'add', 'double'),
    name: fc.oneof(fc.constantFrom(...loadedNames), weirdText),
    value: oddJson,
  }),
  { minLength: 1, maxLength: 3 },
);
type Change = typeof changes extends fc.Arbitrary<readonly (infer Item)[]> ? Item : never;

/** Makes one change to a document, in place. */
export function alter(document: unknown, change: Change): void {
  let at = document as Record<string, unknown>;
  let place = change.place;
  for (let level = 0; level < change.depth; level++) {
    const inner = Object.keys(at).filter((key) => typeof at[key] === 'object' && at[key] !== null);
    const key = inner[place % Math.max(1, inner.length)];
    if (key === undefined) break;
    at = at[key] as Record<string, unknown>;
    place = Math.floor(place / inner.length) + 7 * level;
  }
  const keys = Object.keys(at);
  const key = keys[change.place % Math.max(1, keys.length)] ?? 'x';
  if (change.kind === 'remove') Reflect.deleteProperty(at, key);
  else if (change.kind === 'double' && Array.isArray(at)) at.push(...(at as unknown[]));
  else {
    const value = change.kind === 'double' ? at[key] : structuredClone(change.value);
    const name = change.kind === 'set' ? key : change.name;
    Object.defineProperty(at, name, { value, enumerable: true, writable: true, configurable: true });
  }
}

/** Puts in what JSON.stringify would not write. */
export function unraw(text: string): string {
  return text.replace(/"\\u0000RAW([^"]*)"/g, '$1');
}

/** A document as a damaged file of JSON: changed as a tree, in its bytes, cut off, or another file altogether. */
export function damagedTexts(document: unknown): fc.Arbitrary<Buffer> {
  return fc.oneof(
    {
      arbitrary: fc.tuple(changes, fc.constantFrom(0, 1, 2)).map(([made, indent]) => {
        const copy = structuredClone(document);
        for (const change of made) alter(copy, change);
        return Buffer.from(unraw(JSON.stringify(copy, null, indent)));
      }),
      weight: 6,
    },
    {
      arbitrary: fc
        .tuple(fc.nat(), fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 4 }))
        .map(([cut, flips]) => {
          const bytes = Buffer.from(JSON.stringify(document, null, 1));
          for (const [at, byte] of flips) bytes[at % bytes.length] = byte;
          return cut % 3 === 0 ? bytes.subarray(0, cut % bytes.length) : bytes;
        }),
      weight: 4,
    },
    { arbitrary: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)), weight: 1 },
  );
}

const likeChanges = fc.array(
  fc.record({
    place: fc.nat(),
    text: weirdText,
    number: fc.oneof(fc.constantFrom(0, -1, 1e308, 1e-320, 2 ** 53), fc.nat(), fc.double({ min: 0 })),
  }),
  { minLength: 1, maxLength: 3 },
);

/** A document in which some values are others of the same type, and lists are empty, so that a schema may take it. */
export function disguisedTexts(document: unknown): fc.Arbitrary<Buffer> {
  return likeChanges.map((made) => {
    const copy = structuredClone(document);
    // By the name of the key first: most values of a result are in its intervals.
    const places = [...groupBy(placesIn(copy), ({ key }) => (/^\d+$/.test(key) ? '0' : key)).values()];
    for (const { place, text, number } of made) {
      const alike = places[place % places.length] ?? [];
      const chosen = alike[Math.floor(place / places.length) % alike.length];
      if (chosen !== undefined) disguise(chosen, { text, number });
    }
    return Buffer.from(JSON.stringify(copy));
  });
}

interface Place {
  holder: Record<string, unknown>;
  key: string;
}

function disguise({ holder, key }: Place, { text, number }: { text: string; number: number }): void {
  const old = holder[key];
  if (typeof old === 'string') holder[key] = text;
  else if (typeof old === 'number') holder[key] = number;
  else if (typeof old === 'boolean') holder[key] = !old;
  else if (Array.isArray(old)) holder[key] = [];
}

/** Every position of a tree, by its container. */
function placesIn(tree: unknown): Place[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const holder = tree as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])]);
}
