import type { z } from 'zod';
import { messageOf } from '../base/errors.ts';
import { maskQuery } from '../base/header-field.ts';
import { jsonText } from '../base/json.ts';
import { isObject } from '../base/is-object.ts';
import { nearestName } from '../base/unknown-name.ts';
import type { ScenarioProblem } from './compile-value.ts';
import { areNamed } from './retry-options.ts';
import { optionSections, optionsIn } from './scenario-options.ts';
import { scenarioSchema, type ReadScenario } from './schema.ts';

/** Validates an author's object; reports all problems at once, each with its path. */
export function readScenario(author: unknown): Read {
  try {
    return read(author);
  } catch (thrown) {
    if (thrown instanceof Error) throw thrown;
    // An accessor of the author can throw anything.
    return { problems: [{ path: 'scenario', message: `an accessor in it threw: ${messageOf(thrown)}` }] };
  }
}

/** `corrected`: the scenario without its problems, if they are only unknown keys, to find further problems in it. */
type Read = { scenario: ReadScenario } | { problems: ScenarioProblem[]; corrected?: ReadScenario };

function read(author: unknown): Read {
  const parsed = scenarioSchema.safeParse(author, { reportInput: true });
  if (parsed.success) return { scenario: parsed.data };
  const problems = problemsIn(author, parsed.error);
  const unknown = parsed.error.issues.filter((issue) => issue.code === 'unrecognized_keys');
  if (unknown.length === 0) return { problems };
  const known = unknown.reduce((value, issue) => withKnownKeys(value, issue), author);
  const corrected = scenarioSchema.safeParse(known, { reportInput: true });
  const others = corrected.success ? [] : problemsIn(author, corrected.error);
  // A problem that the correction solves only follows from an unknown key.
  const remaining = [...problemsIn(author, { issues: unknown }), ...others];
  const isIn = (list: readonly ScenarioProblem[], { path, message }: ScenarioProblem): boolean =>
    list.some((each) => each.path === path && each.message === message);
  return {
    problems: [...problems.filter((each) => isIn(remaining, each)), ...others.filter((each) => !isIn(problems, each))],
    ...(corrected.success && { corrected: corrected.data }),
  };
}

/** Returns a value with the unknown keys at a path under the names that were probably meant, or without them. */
function withKnownKeys(value: unknown, { path, keys }: UnknownKeys, above = ''): unknown {
  if (!isObject(value)) return value;
  const [step, ...rest] = path;
  if (step !== undefined) {
    const name = String(step);
    const inner = { path: rest, keys };
    return name in value ? { ...value, [name]: withKnownKeys(value[name], inner, `${above}${name}.`) } : value;
  }
  const known = Object.keys(optionSections.find((section) => section.path === above)?.shape ?? {});
  const entries = Object.entries(value).flatMap(([key, member]) => {
    if (!keys.includes(key)) return [[key, member] as const];
    const meant = nearestName(key, known);
    return meant === undefined || meant in value ? [] : [[meant, member] as const];
  });
  return Object.fromEntries(entries);
}

interface UnknownKeys {
  path: readonly PropertyKey[];
  keys: readonly string[];
}

function problemsIn(author: unknown, error: Pick<z.core.$ZodError, 'issues'>): ScenarioProblem[] {
  const problems = problemsOf(error);
  // A single policy is read as one of several, under a name that the author did not choose.
  const isSingle = isObject(author) && !areNamed(author['retry']);
  return problems.map(({ path, message }) => ({
    path: isSingle ? path.replace(/^retry\.default\b/, 'retry') : path,
    message,
  }));
}

/** Converts validation issues into problems of a scenario file, each with its value if the schema was read with `reportInput`. */
export function problemsOf({ issues }: Pick<z.core.$ZodError, 'issues'>): ScenarioProblem[] {
  return issues
    .filter((issue) => !isSaidBetter(issue, issues))
    .map((issue) => ({
      path: issue.path.reduce<string>((path, key) => path + stepOf(key, path === ''), ''),
      message: withValue(wordsOf(issue), issue),
    }));
}

/** Issues about a value itself. */
const valueCodes: readonly unknown[] = ['invalid_type', 'invalid_value', 'invalid_format', 'too_small', 'too_big'];

/**
 * Reports whether another issue makes this one redundant: a wrong type, or a narrower limit, which is checked later.
 * Relations to other values do not matter until a value is valid itself.
 */
function isSaidBetter(issue: z.core.$ZodIssue, issues: readonly z.core.$ZodIssue[]): boolean {
  if (issue.code === 'invalid_type') return false;
  const isOwn = valueCodes.includes(issue.code);
  if (!isOwn && issue.code !== 'custom') return false;
  return issues.some(
    (other, index) =>
      other !== issue &&
      valueCodes.includes(other.code) &&
      other.path.join('.') === issue.path.join('.') &&
      (!isOwn || other.code === 'invalid_type' || index > issues.indexOf(issue)),
  );
}

function wordsOf(issue: z.core.$ZodIssue): string {
  // The nested issue of a forbidden name describes the reason.
  const original = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  return plainWords.reduce((message, [pattern, words]) => message.replace(pattern, words), original);
}

/** The validator's messages, and their replacements. */
const plainWords: readonly (readonly [RegExp, string])[] = [
  [/^Invalid input: expected nonoptional, received undefined$/, 'is required'],
  [/^Invalid input: expected ([aeio]\w+), received undefined$/, 'is required (an $1)'],
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

/** Appends the value to a message, unless the message contains it; never the value of a secret option. */
function withValue(message: string, { code, input, path }: z.core.$ZodIssue): string {
  const text = code === 'invalid_key' ? undefined : valueText(input, path);
  if (text === undefined || message.includes(`got ${text}`) || message.includes(`'${String(input)}'`)) return message;
  return `${message.replace(/, got \w+$/, '')}, got ${text}`;
}

const stepOf = (key: PropertyKey, isFirst: boolean): string =>
  typeof key === 'number' ? `[${String(key)}]` : isFirst ? String(key) : `.${String(key)}`;

/** Returns an author's value for a message; `undefined` if it is long, not a plain value, empty or may contain a secret. */
function valueText(value: unknown, path: readonly PropertyKey[]): string | undefined {
  if (path.some((key) => secretKeys.includes(key))) return undefined;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (typeof value !== 'string' || value === '' || value.length > maxTextLength) return undefined;
  if (userInfo.test(value) || maskQuery(value) !== value) return undefined;
  return jsonText(value);
}

const maxTextLength = 60;

/** Matches a URL with a name and a password, with or without its scheme. */
const userInfo = /(?:^|\/\/)[^/\s]*@/;

/** Last steps of the paths of secret options, which are the same under `embedded` and in the file of `serve --config`. */
const secretKeys: readonly PropertyKey[] = optionSections
  .flatMap(optionsIn)
  .flatMap(({ name, secret }) => (secret === true ? [name.split('.').at(-1) ?? name] : []));
