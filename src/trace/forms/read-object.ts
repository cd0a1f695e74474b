import { parseJson } from '../../base/json.ts';
import { valueAt } from '../../base/value-at.ts';
import { isObject } from '../../base/is-object.ts';

/** An object of one line of JSON. Throws an `Error` that says what else it is. */
export function readObject(line: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch (thrown) {
    throw new Error('is not JSON', { cause: thrown });
  }
  if (!isObject(value)) throw new Error('is no JSON object');
  return value;
}

/** The same of a line that may be anything. */
export function objectIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return readObject(line);
  } catch {
    return undefined;
  }
}

/** A field by its name, or by its dotted path. */
export function fieldAt(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : valueAt(object, name.split('.'));
}
