import type { Result } from '../../result/result.ts';
import type { Difference } from '../document/comparison.ts';
import { sideNames, type Side, type Sides } from '../document/side.ts';
import { excerpt } from '../../base/excerpt.ts';
import { isObject } from '../../base/is-object.ts';
import { jsonText } from '../../base/json.ts';
import { printable } from '../../base/printable.ts';
import { digestOf } from '../../plan/digest.ts';
import type { Plan } from '../../plan/plan.ts';

/** A property that all runs of a comparison should share. */
export interface Trait {
  key: string;
  /** What it means when they do not. */
  message: string;
  /** In words; `null` where it is not known, or does not apply: then it never differs. */
  of: (result: Result) => string | null;
}

/** The properties that differ over the runs of both sides. */
export function differencesIn(traits: readonly Trait[], sides: Sides): Difference[] {
  return traits.flatMap(({ key, message, of }) => {
    const [base, head] = sideNames.map((name) => distinct(sides[name], of));
    if (base === undefined || head === undefined || new Set([...base, ...head]).size < 2) return [];
    return [{ key, base: listed(base), head: listed(head), message: `${message}${mixed(base, head)}` }];
  });
}

/** The values of a side, each once, in the order of its runs. */
const distinct = ({ runs }: Side, of: Trait['of']): string[] => [
  ...new Set(runs.flatMap(({ result }) => of(result) ?? [])),
];

/** Values as a reader sees them. */
export function listed(values: readonly string[]): string {
  return values.length === 0 ? 'not known' : values.join(' / ');
}

function mixed(base: readonly string[], head: readonly string[]): string {
  const sides = [...(base.length > 1 ? ['base'] : []), ...(head.length > 1 ? ['head'] : [])];
  return sides.length === 0 ? '' : `, already within ${sides.join(' and ')}`;
}

/**
 * Why two plans are of different scenarios, in the authors' terms: options with their values, texts and lists by size
 * and hash. Empty where both ask for the same.
 */
export function planDifferences(base: Plan, head: Plan): Difference[] {
  const fields = workload.filter((field) => digestOf(base[field]) !== digestOf(head[field]));
  const differences = fields.flatMap((field) => {
    const options = optionDifferences(base, head, field);
    return options.length > 0 ? options : fieldDifferences(`plan.${field}`, base[field], head[field]);
  });
  const ofMessages = fieldDifferences('plan.target.messageBody', base.target.messageBody, head.target.messageBody);
  return [...differences, ...ofMessages];
}

/** Differences of two JSON-safe values, key by key as far as both are objects. */
export function fieldDifferences(key: string, base: unknown, head: unknown): Difference[] {
  if (digestOf(base) === digestOf(head)) return [];
  if (!isObject(base) || !isObject(head) || isDigest(base) || isDigest(head))
    return [{ key, base: summary(base), head: summary(head), message: `${lastOf(key)} is not the same` }];
  const names = [...new Set([...Object.keys(base), ...Object.keys(head)])];
  return names.flatMap((name) => fieldDifferences(`${key}.${name}`, base[name], head[name]));
}

/** What the hash of a scenario is made of. */
const workload = [
  ...([
    'sessions',
    'durationMs',
    'turns',
    'load',
    'thinkTime',
    'data',
    'variableValues',
    'messages',
    'tools',
    'checks',
  ] as const),
  ...(['integrity', 'timeoutMs', 'warmUpMs', 'gracePeriodMs', 'onFailedTurn', 'retry'] as const),
  ...(['stallTimeoutMs', 'abandon', 'instructions'] as const),
];

/** The options that a field of the plan was settled from; a length of time is called `...Ms` only when settled. */
function optionDifferences(base: Plan, head: Plan, field: string): Difference[] {
  const option = field.replace(/Ms$/, '');
  const isOf = (name: string): boolean => name === option || name.startsWith(`${option}.`);
  const names = new Set([...Object.keys(base.options), ...Object.keys(head.options)].filter(isOf));
  return [...names].flatMap((name) => {
    const [from, to] = [base.options[name]?.value, head.options[name]?.value];
    return digestOf(from) === digestOf(to)
      ? []
      : [{ key: `plan.options.${name}`, base: summary(from), head: summary(to), message: `${name} is not the same` }];
  });
}

function summary(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'string') return excerpt(value, printable, longest);
  if (!isObject(value) || !isDigest(value)) return excerpt(jsonText(value) ?? 'none', printable, longest);
  const { count, hash } = value;
  const short = `#${String(hash).slice(0, 8)}`;
  return typeof count === 'number' ? `${String(count)} of them, ${short}` : short;
}

const longest = 80;
const lastOf = (key: string): string => key.replace(/^plan\./, '');
/** A text or list of which documents hold no more than its hash. */
const isDigest = (value: Record<string, unknown>): boolean =>
  typeof value['hash'] === 'string' && Object.keys(value).every((key) => ['hash', 'count', 'branches'].includes(key));
