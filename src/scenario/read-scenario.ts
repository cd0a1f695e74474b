import type { z } from 'zod';
import type { ScenarioProblem } from './compile-value.ts';
import { scenarioSchema, type ReadScenario } from './schema.ts';

/** Validates an author's object; reports all problems at once, each with its path. */
export function readScenario(author: unknown): { scenario: ReadScenario } | { problems: ScenarioProblem[] } {
  const read = scenarioSchema.safeParse(author);
  return read.success ? { scenario: read.data } : { problems: read.error.issues.map(problemOf) };
}

/** A schema's complaint in the words of a scenario file. */
export function problemOf(issue: z.core.$ZodIssue): ScenarioProblem {
  return {
    path: issue.path.reduce<string>((path, key) => path + stepOf(key, path === ''), ''),
    message: plainWords.reduce((message, [pattern, words]) => message.replace(pattern, words), issue.message),
  };
}

/** What the validator says, and what we say instead. */
const plainWords: readonly (readonly [RegExp, string])[] = [
  [/^Invalid input: expected nonoptional, received undefined$/, 'is required'],
  [/^Invalid input: expected (\w+), received undefined$/, 'is required (a $1)'],
  [/^Invalid input: expected int, received \w+$/, 'must be a whole number'],
  [/^Invalid input: expected (\w+), received (\w+)$/, 'expected type $1, got $2'],
  [/^Invalid option: expected/, 'expected'],
  [/^Too small: expected (?:string|array) to have >=1 \w+$/, 'must not be empty'],
  [/^Too (?:small|big): expected \w+ to (?:be|have) /, 'must be '],
  [/^must be >=/, 'must be at least '],
  [/^must be >/, 'must be above '],
  [/^must be <=/, 'must be at most '],
  [/^must be </, 'must be below '],
];

const stepOf = (key: PropertyKey, isFirst: boolean): string =>
  typeof key === 'number' ? `[${String(key)}]` : isFirst ? String(key) : `.${String(key)}`;
