import { leavesOf, valueIn, type JsonPath } from './find-places.ts';
import type { SeenEvent } from './given-api.ts';
import { isIdName } from './id-names.ts';

/** A field of events whose value distinguishes the parts of a text from repetitions of the whole. */
export interface PartField {
  path: JsonPath;
  value: boolean | string;
  /** True if the parts have the value, false if the repetitions have it. */
  isOfParts: boolean;
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
  const parts = events.filter((event) => !repetitions.has(event));
  const ofParts = commonField(parts, [...repetitions], text);
  if (ofParts !== undefined) return { ...ofParts, isOfParts: true };
  const ofWholes = commonField([...repetitions], parts, text);
  return ofWholes && { ...ofWholes, isOfParts: false };
}

/** Returns a field that has one value in some events and never in the others. */
function commonField(
  [first, ...more]: readonly SeenEvent[],
  others: readonly SeenEvent[],
  text: JsonPath,
): Omit<PartField, 'isOfParts'> | undefined {
  for (const { path, value } of leavesOf(first?.json)) {
    const isCommon = more.every(({ json }) => valueIn(json, path) === value);
    const isOwn = others.every(({ json }) => valueIn(json, path) !== value);
    if (isMark(value) && !isIdName(path.at(-1)) && path.join('.') !== text.join('.') && isCommon && isOwn)
      return { path, value };
  }
  return undefined;
}

/** Reports whether a value can have one meaning in every reply: numbers and ids belong to one reply. */
const isMark = (value: unknown): value is boolean | string =>
  typeof value === 'boolean' || (typeof value === 'string' && /^[a-z_ -]{1,40}$/i.test(value));
