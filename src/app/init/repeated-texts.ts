import { leavesOf, valueIn, type JsonPath } from './find-places.ts';
import type { SeenEvent } from './given-api.ts';

/** Value of an event's field that all parts of a text have, and no repetition of the whole text. */
export interface PartField {
  path: JsonPath;
  value: string | number | boolean;
}

/**
 * Returns the events that repeat the texts of the events before them as a whole, as some frameworks send the complete text
 * after its parts; a tool call may be between two such texts.
 */
export function repetitionsIn(events: readonly SeenEvent[], path: JsonPath): ReadonlySet<SeenEvent> {
  const repetitions = new Set<SeenEvent>();
  let parts: string[] = [];
  for (const event of events) {
    const text = valueIn(event.json, path);
    if (typeof text !== 'string' || text === '') continue;
    if (parts.length > 1 && text === parts.join('')) {
      repetitions.add(event);
      parts = [];
    } else parts.push(text);
  }
  return repetitions;
}

/** Returns the field that distinguishes parts from repetitions; `undefined` if there is none. */
export function partField(
  events: readonly SeenEvent[],
  repetitions: ReadonlySet<SeenEvent>,
  text: JsonPath,
): PartField | undefined {
  const [first, ...parts] = events.filter((event) => !repetitions.has(event));
  const isMark = ({ path, value }: { path: JsonPath; value: unknown }): boolean =>
    path.join('.') !== text.join('.') &&
    parts.every(({ json }) => valueIn(json, path) === value) &&
    [...repetitions].every(({ json }) => valueIn(json, path) !== value);
  const found = leavesOf(first?.json).find(isMark);
  const value = found?.value;
  const isPlain = typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number';
  return found !== undefined && isPlain ? { path: found.path, value } : undefined;
}
