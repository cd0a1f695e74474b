import { isObject } from '../../base/is-object.ts';

/** Reports whether a path leads to several values: `*` stands for every entry of a list. */
export function hasWildcard(path: readonly string[]): boolean {
  return path.includes('*');
}

/** Returns the texts at a path with wildcards, joined by line breaks in their order; a value that is not text instead of them; `undefined`: there is none. */
export function textsAt(body: unknown, path: readonly string[]): unknown {
  const found = path.reduce(valuesBelow, [body]).filter((value) => value !== undefined && value !== null);
  if (found.length === 0) return undefined;
  const texts = found.filter((value) => typeof value === 'string');
  if (texts.length < found.length) return found.find((value) => typeof value !== 'string');
  return texts.filter((text) => text !== '').join('\n');
}

/** Returns the values of a key in each of these values. */
function valuesBelow(values: readonly unknown[], key: string): unknown[] {
  if (key === '*') return values.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : []));
  return values.map((value) =>
    (isObject(value) || Array.isArray(value)) && Object.hasOwn(value, key)
      ? (value as Record<string, unknown>)[key]
      : undefined,
  );
}
