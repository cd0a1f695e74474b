import { isObject, valueAt } from '../base/is-object.ts';
import { printable } from '../base/printable.ts';

/** What is found where a value of another kind was looked for: how far its path leads, and the keys there. Contains no value. */
export function wordWhatIsThere(body: unknown, path: readonly string[]): string {
  const depth = path.findIndex((_, index) => valueAt(body, path.slice(0, index + 1)) === undefined);
  if (depth === -1) return `that is ${wordKind(valueAt(body, path))}`;
  const place = depth === 0 ? 'the reply' : path.slice(0, depth).join('.');
  const found = depth === 0 ? body : valueAt(body, path.slice(0, depth));
  return isObject(found) ? `${place} has ${wordKeys(Object.keys(found))}` : `${place} is ${wordKind(found)}`;
}

/** The kind of a value, which is not in it. */
export function wordKind(value: unknown): string {
  if (value === '') return 'an empty text';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
}

const maxKeys = 10;
const maxKeyLength = 60;

const wordKeys = (keys: readonly string[]): string => {
  if (keys.length === 0) return 'nothing in it';
  // A long one is omitted entirely: when cut, it could be an undetectable piece of the key.
  const shown = keys.slice(0, maxKeys).map((key) => (key.length > maxKeyLength ? '(a long name)' : printable(key)));
  return [...shown, ...(keys.length > maxKeys ? ['...'] : [])].join(', ');
};
