import type { Result } from '../../result/result.ts';
import type { Difference, Refusal } from '../document/comparison.ts';
import type { SideName, Sides } from '../document/side.ts';
import { excerpt } from '../../base/excerpt.ts';
import { countOf, listFirst } from '../../base/format.ts';
import { isObject } from '../../base/is-object.ts';
import { jsonText } from '../../base/json.ts';
import { printable } from '../../base/printable.ts';
import { digestOf } from '../../plan/digest.ts';
import type { Plan } from '../../plan/plan.ts';

export interface Trait<Document = Result> {
  key: string;
  message: string;
  remedy?: string;
  /** Value as text; `null` if it is unknown or does not apply, and then never reported as a difference. */
  of: (document: Document) => string | null;
}

export function trait<Document = Result>(
  key: string,
  message: string,
  of: Trait<Document>['of'],
  remedy?: string,
): Trait<Document> {
  return { key, message, of, ...(remedy !== undefined && { remedy }) };
}

type OfSides<Item> = Readonly<Record<SideName, readonly Item[]>>;

export function differencesIn(traits: readonly Trait[], { base, head }: Sides): Difference[] {
  const results = { base: base.runs.map(({ result }) => result), head: head.runs.map(({ result }) => result) };
  return differing(traits, results).map(({ key, message, ...values }) => ({
    key,
    base: listed(values.base),
    head: listed(values.head),
    message: `${message}${mixed(values)}`,
  }));
}

/** Returns the differing properties with their distinct values on both sides, in the order of the documents. */
export function differing<Document>(
  traits: readonly Trait<Document>[],
  { base, head }: OfSides<Document>,
): (Trait<Document> & OfSides<string>)[] {
  return traits.flatMap((trait) => {
    const [from, to] = [base, head].map((side) => [...new Set(side.flatMap((each) => trait.of(each) ?? []))]);
    if (from === undefined || to === undefined || new Set([...from, ...to]).size < 2) return [];
    return [{ ...trait, base: from, head: to }];
  });
}

interface Keyed {
  /** Name of its file; `null` if it was not read from a file. */
  file: string | null;
  key: string;
}

/** Refuses documents that are on both sides, which would be compared with themselves, or several times on one side. */
export function refuseRepeated(
  sides: OfSides<Keyed>,
  [noun, nouns]: readonly [string, string],
): Omit<Refusal, 'key'>[] {
  const all = [...sides.base, ...sides.head];
  const isOn = (side: SideName, key: string): boolean => sides[side].some((each) => each.key === key);
  const shared = new Set(all.flatMap(({ key }) => (isOn('base', key) && isOn('head', key) ? key : [])));
  const twice = new Set(
    all.flatMap(({ key }, at) => (all.findIndex((each) => each.key === key) < at && !shared.has(key) ? key : [])),
  );
  const refuse = (keys: ReadonlySet<string>, fact: string, remedy: string): Omit<Refusal, 'key'>[] => {
    if (keys.size === 0) return [];
    const [base, head] = [sides.base, sides.head].map((side) => side.filter(({ key }) => keys.has(key)));
    const files = new Set([...(base ?? []), ...(head ?? [])].flatMap(({ file }) => file ?? []));
    const names = files.size === 0 ? '' : `: ${listFirst([...files], maxFiles)}`;
    return [
      {
        base: `${String(base?.length ?? 0)} of ${countOf(sides.base.length, noun, nouns)}`,
        head: `${String(head?.length ?? 0)} of ${countOf(sides.head.length, noun, nouns)}`,
        message: `${fact}${names}`,
        remedy,
      },
    ];
  };
  return [
    ...refuse(
      shared,
      shared.size === 1 ? `both sides contain the same ${noun}` : `both sides contain the same ${nouns}`,
      `Name ${nouns} of two different releases.`,
    ),
    ...refuse(twice, `one side contains the same ${noun} more than once`, `Name each ${noun} once.`),
  ];
}

const maxFiles = 3;

export function listed(values: readonly string[]): string {
  return values.length === 0 ? 'not known' : values.join(' / ');
}

function mixed({ base, head }: OfSides<string>): string {
  const sides = [...(base.length > 1 ? ['base'] : []), ...(head.length > 1 ? ['head'] : [])];
  return sides.length === 0 ? '' : `, even within ${sides.join(' and ')}`;
}

/** Returns the differing options and fields of two plans; empty if both define the same workload. */
export function planDifferences(base: Plan, head: Plan): Difference[] {
  const fields = workload.filter((field) => digestOf(base[field]) !== digestOf(head[field]));
  const differences = fields.flatMap((field) => {
    const options = optionDifferences(base, head, field);
    return options.length > 0 ? options : fieldDifferences(`plan.${field}`, base[field], head[field]);
  });
  const ofMessages = fieldDifferences('plan.target.messageBody', base.target.messageBody, head.target.messageBody);
  return [...differences, ...ofMessages];
}

/** Returns the differences of two JSON-safe values, key by key as far as both are objects. */
export function fieldDifferences(key: string, base: unknown, head: unknown): Difference[] {
  if (digestOf(base) === digestOf(head)) return [];
  if (!isObject(base) || !isObject(head) || isDigest(base) || isDigest(head))
    return [{ key, base: summary(base), head: summary(head), message: `${key.replace(/^plan\./, '')} differs` }];
  const names = [...new Set([...Object.keys(base), ...Object.keys(head)])];
  return names.flatMap((name) => fieldDifferences(`${key}.${name}`, base[name], head[name]));
}

/** Fields of the plan that the hash of a scenario covers. */
const workload = [
  ...(['sessions', 'durationMs', 'turns', 'load', 'thinkTime', 'data', 'variableValues', 'messages'] as const),
  ...(['tools', 'checks', 'integrity', 'timeoutMs', 'warmUpMs', 'gracePeriodMs', 'onFailedTurn', 'retry'] as const),
  ...(['stallTimeoutMs', 'abandon', 'instructions'] as const),
];

/** Returns the differing options that a field of the plan was resolved from; only resolved durations end in `Ms`. */
function optionDifferences(base: Plan, head: Plan, field: string): Difference[] {
  const option = field.replace(/Ms$/, '');
  const isOf = (name: string): boolean => name === option || name.startsWith(`${option}.`);
  const names = new Set([...Object.keys(base.options), ...Object.keys(head.options)].filter(isOf));
  return [...names].flatMap((name) => {
    const [from, to] = [base.options[name]?.value, head.options[name]?.value];
    return digestOf(from) === digestOf(to)
      ? []
      : [{ key: `plan.options.${name}`, base: summary(from), head: summary(to), message: `${name} differs` }];
  });
}

function summary(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'string') return excerpt(value, printable, longest);
  if (!isObject(value) || !isDigest(value)) return excerpt(jsonText(value) ?? 'none', printable, longest);
  const { count, hash } = value;
  const short = `#${String(hash).slice(0, 8)}`;
  return typeof count === 'number' ? `${countOf(count, 'item')}, ${short}` : short;
}

const longest = 80;
/** Reports whether a value is the digest of a text or list whose content is not published. */
const isDigest = (value: Record<string, unknown>): boolean =>
  typeof value['hash'] === 'string' && Object.keys(value).every((key) => ['hash', 'count', 'branches'].includes(key));
