import type { SideName } from '../../../compare/document/side.ts';
import type { Capacity } from '../document/capacity.ts';
import { differing, listed, refuseRepeated, trait, type Trait } from '../../../compare/comparability/differences.ts';
import type { Difference, Refusal } from '../../../compare/document/comparison.ts';
import { loadUnitTexts } from '../words/summarize.ts';

export interface SearchOfSide {
  /** Name of its file; `null` when it was not read from a file. */
  file: string | null;
  capacity: Capacity;
}

export interface CapacitySide {
  label: string;
  searches: readonly SearchOfSide[];
}

export type CapacitySides = Readonly<Record<SideName, CapacitySide>>;

export function documentsOf({ searches }: CapacitySide): Capacity[] {
  return searches.map(({ capacity }) => capacity);
}

const needed: readonly Trait<Capacity>[] = [
  trait(
    'scenario.hash',
    'the searches ran different scenarios',
    ({ scenario }) => `${scenario.name} #${scenario.hash.slice(0, 8)}`,
  ),
  trait(
    'by',
    'one side is measured in concurrent sessions, the other in sessions per second',
    ({ by }) => loadUnitTexts[by],
    'Search both with the same --by.',
  ),
  trait(
    'objectives',
    'the objectives differ',
    ({ objectives }) => objectives.map(objectiveText).toSorted().join('; '),
    'Search both with the same objectives.',
  ),
  trait('scenario.protocol', 'the searches used different protocols', ({ scenario }) => scenario.protocol),
  trait('target.embedded', 'only one side is the embedded service', ({ scenario }) =>
    scenario.target === null ? 'embedded' : 'another service',
  ),
  trait(
    'machine',
    'machines of different classes sent the load',
    ({ machine }) => (machine === 'an unknown machine' ? null : machine),
    'Run both searches on one machine.',
  ),
];

/** Traits whose difference may explain a change. */
const watched: readonly Trait<Capacity>[] = [
  trait('scenario.seed', 'the sessions had different values, messages and think times', ({ scenario }) =>
    String(scenario.seed),
  ),
  trait(
    'bounds.maxStepMs',
    'the maximum step durations differ: a slow degradation shows only in a long step',
    ({ bounds }) => `${String(bounds.maxStepMs / 1000)} s`,
  ),
  trait('toolVersion', 'the versions of chat-load differ', ({ toolVersion }) => toolVersion),
];

/** Uses the limit rather than the condition as written: `< 2s` equals `< 2000ms`. */
function objectiveText({ metric, condition, limit, unit }: Capacity['objectives'][number]): string {
  const [operator = ''] = /^\s*[<>]=?/.exec(condition) ?? [];
  return `${metric} ${operator.trim()} ${String(limit)} ${unit}`;
}

export function capacityRefusals(sides: CapacitySides): Refusal[] {
  return [...repeatedSearches(sides), ...differencesIn(needed, sides)];
}

/** Returns the differences that a reader of an accepted comparison should know. */
export function capacityCaveats(sides: CapacitySides): Difference[] {
  return differencesIn(watched, sides).map(({ key, base, head, message }) => ({ key, base, head, message }));
}

function differencesIn(traits: readonly Trait<Capacity>[], { base, head }: CapacitySides): Refusal[] {
  const capacities = { base: documentsOf(base), head: documentsOf(head) };
  return differing(traits, capacities).map(({ key, message, remedy = null, ...values }) => ({
    key,
    base: listed(values.base),
    head: listed(values.head),
    message,
    remedy,
  }));
}

/** Identifies a search without an id: two of the same scenario do not start in the same millisecond. */
function repeatedSearches({ base, head }: CapacitySides): Refusal[] {
  const keyed = ({ searches }: CapacitySide) => searches.map(({ file, capacity }) => ({ file, key: keyOf(capacity) }));
  const repeated = refuseRepeated({ base: keyed(base), head: keyed(head) }, ['search', 'searches']);
  return repeated.map((refusal) => ({ key: 'startedAt', ...refusal }));
}

const keyOf = ({ startedAt, elapsedMs, scenario }: Capacity): string => [startedAt, elapsedMs, scenario.hash].join(' ');
