import type { SideName } from '../../compare/document/side.ts';
import type { Capacity } from '../document/capacity.ts';
import { differing, listed, repeatedIn, type Trait } from '../../compare/comparability/differences.ts';
import type { Difference, Refusal } from '../../compare/document/comparison.ts';
import { loadUnitTexts } from '../words/summarize.ts';

/** A search on one side of a comparison. */
export interface SearchOfSide {
  /** Where it was read from; `null`: not from a file. */
  file: string | null;
  capacity: Capacity;
}

/** The searches of one release; at least one. */
export interface CapacitySide {
  label: string;
  searches: readonly SearchOfSide[];
}

export type CapacitySides = Readonly<Record<SideName, CapacitySide>>;

/** The documents of a side. */
export function documentsOf({ searches }: CapacitySide): Capacity[] {
  return searches.map(({ capacity }) => capacity);
}

/** What makes a comparison of capacities meaningless. */
const needed: readonly Trait<Capacity>[] = [
  {
    key: 'scenario.hash',
    message: 'these are searches with different scenarios',
    of: ({ scenario }) => `${scenario.name} #${scenario.hash.slice(0, 8)}`,
  },
  {
    key: 'by',
    message: 'one is a number of sessions at a time, the other a number of sessions a second',
    remedy: 'Search both with the same --by.',
    of: ({ by }) => loadUnitTexts[by],
  },
  {
    key: 'objectives',
    message: 'not the same was asked to hold',
    remedy: 'Search both with the same objectives.',
    of: ({ objectives }) => objectives.map(objectiveText).toSorted().join('; '),
  },
  {
    key: 'scenario.protocol',
    message: 'they spoke different protocols',
    of: ({ scenario }) => scenario.protocol,
  },
  {
    key: 'target.embedded',
    message: 'only one side is the embedded service',
    of: ({ scenario }) => (scenario.target === null ? 'embedded' : 'a service elsewhere'),
  },
  {
    key: 'machine',
    message: 'the load came from machines of different classes',
    remedy: 'Search both from one machine.',
    of: ({ machine }) => (machine === 'an unknown machine' ? null : machine),
  },
];

/** What differs and may explain a change. */
const watched: readonly Trait<Capacity>[] = [
  {
    key: 'scenario.seed',
    message: 'the sessions had other values, messages and waits',
    of: ({ scenario }) => String(scenario.seed),
  },
  {
    key: 'bounds.maxStepMs',
    message: 'steps could be longer on one side: a slow breakdown shows in a long step only',
    of: ({ bounds }) => `${String(bounds.maxStepMs / 1000)} s`,
  },
  { key: 'toolVersion', message: 'other versions of chat-load searched', of: ({ toolVersion }) => toolVersion },
];

/** The limit rather than the condition as it was written: `< 2s` is `< 2000ms`. */
function objectiveText({ metric, condition, limit, unit }: Capacity['objectives'][number]): string {
  const [operator = ''] = /^\s*[<>]=?/.exec(condition) ?? [];
  return `${metric} ${operator.trim()} ${String(limit)} ${unit}`;
}

/** Everything that refuses a comparison. */
export function capacityRefusals(sides: CapacitySides): Refusal[] {
  return [...repeatedSearches(sides), ...differencesIn(needed, sides)];
}

/** What to know of a comparison that is made. */
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

/** A search has no id: two do not start in one millisecond with the same sessions. */
function repeatedSearches({ base, head }: CapacitySides): Refusal[] {
  const keyed = ({ searches }: CapacitySide) => searches.map(({ file, capacity }) => ({ file, key: keyOf(capacity) }));
  return repeatedIn({ base: keyed(base), head: keyed(head) }, 'one of its searches').map((places) => ({
    ...places,
    key: 'startedAt',
    message: 'the same search is given more than once: it can only be compared with others',
    remedy: null,
  }));
}

const keyOf = ({ startedAt, elapsedMs, scenario }: Capacity): string => [startedAt, elapsedMs, scenario.hash].join(' ');
