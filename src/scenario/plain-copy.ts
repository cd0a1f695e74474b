import { messageOf } from '../base/errors.ts';
import type { ScenarioProblem } from './compile-value.ts';
import { promiseProblem } from '../base/promise.ts';

/** Maximum depth; deeper than any intended value, and bounded so that code that walks a scenario may be recursive. */
const maxDepth = 100;
const maxItems = 10_000_000;
const maxProblems = 20;

/**
 * Copies an author's value into plain data and functions, reading everything once: nothing in the copy throws, refers to
 * itself, or changes. Objects with a JSON form, such as dates, are converted to it. Reports values that cannot be copied.
 */
export function plainCopy(value: unknown): { copy: unknown; problems: ScenarioProblem[] } {
  const problems: ScenarioProblem[] = [];
  const copy = copyAt(value, { path: '', above: [], problems });
  return { copy, problems };
}

/** The only function that may be asynchronous: it is not called during a turn. */
const awaited = 'target.auth.token';

interface CopyContext {
  path: string;
  /** The objects that contain this value. */
  above: readonly object[];
  problems: ScenarioProblem[];
}

function copyAt(value: unknown, place: CopyContext): unknown {
  if (typeof value === 'bigint' || typeof value === 'symbol')
    return refuse(place, `a ${typeof value} cannot be sent as JSON`);
  try {
    return copyReadable(value, place);
  } catch (thrown) {
    return refuse(place, `cannot be read: ${messageOf(thrown)}`);
  }
}

function copyReadable(value: unknown, place: CopyContext): unknown {
  const problem = place.path === awaited ? undefined : promiseProblem(value);
  if (problem !== undefined) return refuse(place, problem);
  if (typeof value !== 'object' || value === null) return value;
  if (place.above.includes(value)) return refuse(place, 'refers to itself');
  if (place.above.length === maxDepth) return refuse(place, `is nested more than ${String(maxDepth)} levels deep`);
  return copyObject(value, { ...place, above: [...place.above, value] });
}

function copyObject(value: object, place: CopyContext): unknown {
  if (Array.isArray(value)) return copyArray(value, place);
  const own = 'toJSON' in value && typeof value.toJSON === 'function' ? (value.toJSON as () => unknown)() : value;
  if (own !== value) return copyAt(own, place);
  const at = (key: string): string => (place.path === '' ? key : `${place.path}.${key}`);
  return Object.fromEntries(Object.keys(value).map((key) => [key, copyField(value, key, { ...place, path: at(key) })]));
}

/** Copies a field; one that cannot be read is reported with its own path. */
function copyField(value: object, key: string, place: CopyContext): unknown {
  try {
    return copyAt((value as Readonly<Record<string, unknown>>)[key], place);
  } catch (thrown) {
    return refuse(place, `cannot be read: ${messageOf(thrown)}`);
  }
}

function copyArray(items: readonly unknown[], place: CopyContext): unknown {
  if (items.length > maxItems) return refuse(place, `has more than ${String(maxItems)} items`);
  return Array.from(items, (item, index) => copyAt(item, { ...place, path: `${place.path}[${String(index)}]` }));
}

function refuse({ path, problems }: CopyContext, message: string): undefined {
  if (problems.length < maxProblems) problems.push({ path, message });
}
