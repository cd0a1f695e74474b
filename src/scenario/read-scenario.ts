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
    message: issue.message
      .replace('Invalid input: expected nonoptional, received undefined', 'is required')
      .replace(/^Invalid input: expected (\w+), received undefined$/, 'is required (a $1)'),
  };
}

const stepOf = (key: PropertyKey, isFirst: boolean): string =>
  typeof key === 'number' ? `[${String(key)}]` : isFirst ? String(key) : `.${String(key)}`;
