import { isObject, valueAt } from '../base/is-object.ts';
import { printable } from '../base/printable.ts';

/** Describes the value found in place of the expected one: the end of its path, and the keys there. Contains no value. */
export function describeFound(body: unknown, path: readonly string[]): string {
  const depth = path.findIndex((_, index) => valueAt(body, path.slice(0, index + 1)) === undefined);
  if (depth === -1) return `that is ${describeKind(valueAt(body, path))}`;
  const parent = depth === 0 ? 'the reply' : path.slice(0, depth).join('.');
  const found = depth === 0 ? body : valueAt(body, path.slice(0, depth));
  return isObject(found) ? `${parent} has ${describeKeys(Object.keys(found))}` : `${parent} is ${describeKind(found)}`;
}

/** Describes the kind of a value, without the value. */
export function describeKind(value: unknown): string {
  if (value === '') return 'an empty text';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
}

const maxKeys = 10;
const maxKeyLength = 60;

const describeKeys = (keys: readonly string[]): string => {
  if (keys.length === 0) return 'no keys';
  // A long name is omitted entirely, because a cut one could be an undetectable part of the key.
  const shown = keys.slice(0, maxKeys).map((key) => (key.length > maxKeyLength ? '(a long name)' : printable(key)));
  const more = keys.length > maxKeys ? ['...'] : [];
  return `the ${keys.length === 1 ? 'key' : 'keys'} ${[...shown, ...more].join(', ')}`;
};
