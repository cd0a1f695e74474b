import leven, { closestMatch } from 'leven';
import { nameOrLength } from './excerpt.ts';

/** Describes an unknown name, with the known one that was probably meant: by default the nearest. */
export function unknownName(
  kind: string,
  given: string,
  known: readonly string[],
  nearest: string | undefined = nearestName(given, known),
): string {
  const name = nameOrLength(given, maxNameLength);
  if (known.length === 0) return `unknown ${kind} '${name}': there are none`;
  if (nearest !== undefined) return `unknown ${kind} '${name}': did you mean '${nearest}'?`;
  if (known.length <= maxListed) return `unknown ${kind} '${name}': known are ${known.join(', ')}`;
  const [listed, more] = [known.slice(0, maxExamples), known.length - maxExamples];
  return `unknown ${kind} '${name}': known are ${listed.join(', ')} and ${String(more)} more`;
}

const maxListed = 40;
/** Number of names shown of a longer list. */
const maxExamples = 3;

/** Returns the known name that was probably meant; `undefined` when none is near. */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const name = given.slice(0, maxNameLength);
  const nearest = closestMatch(name, known);
  return nearest !== undefined && isNear(name, nearest) ? nearest : undefined;
}

/** The time to compare two names is proportional to the product of their lengths. */
const maxNameLength = 100;

/** Reports whether fewer than half of the letters differ, or only their order. */
const isNear = (name: string, nearest: string): boolean =>
  leven(name, nearest) < Math.max(name.length, nearest.length) / 2 || sorted(name) === sorted(nearest);

const sorted = (name: string): string => Array.from(name).sort().join('');
