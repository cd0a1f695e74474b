import { countOf, formatCount } from '../../../base/format.ts';
import type { ListRow } from './list.ts';

/** What rows are looked for; an empty text is no condition. */
export interface ListFilter {
  /** The whole name. */
  scenario: string;
  /** A part of it, in any case of letters; likewise the commit. */
  label: string;
  verdict: string;
  commit: string;
}

export const noFilter: ListFilter = { scenario: '', label: '', verdict: '', commit: '' };

/** The rows that fulfil all conditions. */
export function filterRows(rows: readonly ListRow[], { scenario, label, verdict, commit }: ListFilter): ListRow[] {
  return rows.filter(
    (row) =>
      (scenario === '' || row.scenario === scenario) &&
      (verdict === '' || row.verdict === verdict) &&
      contains(row.label, label) &&
      contains(row.commit, commit),
  );
}

const contains = (text: string, part: string): boolean => text.toLowerCase().includes(part.trim().toLowerCase());

type Counted = Pick<ListRow, 'verdict' | 'document'>;

/** How many are listed of what, in this order: singular and plural. */
const units = {
  result: ['result', 'results'],
  capacity: ['capacity', 'capacities'],
  comparison: ['comparison of capacities', 'comparisons of capacities'],
  unreadable: ['unreadable file', 'unreadable files'],
} as const;
type Unit = keyof typeof units;

/** How many of what are shown, and of how many: `2 of 8 results, 0 of 3 unreadable files`. */
export function countText(shown: readonly Counted[], all: readonly Counted[]): string {
  const isWhole = shown.length === all.length;
  const part = (unit: Unit): string => {
    const [one, many] = units[unit];
    return `${isWhole ? '' : `${formatCount(countIn(shown, unit))} of `}${countOf(countIn(all, unit), one, many)}`;
  };
  const listed = (Object.keys(units) as Unit[]).filter((unit) => countIn(all, unit) > 0);
  return (listed.length === 0 ? (['result'] as const) : listed).map(part).join(', ');
}

const unitOf = ({ verdict, document }: Counted): Unit => (verdict === 'UNREADABLE' ? 'unreadable' : document);

const countIn = (rows: readonly Counted[], unit: Unit): number => rows.filter((row) => unitOf(row) === unit).length;

/** The sides of a comparison, by the ids of results. */
export interface Ticks {
  base: readonly string[];
  head: readonly string[];
}
export type Side = keyof Ticks;

/** What of a list is in its address: it survives a reload and the way back from a page, and can be sent. */
export interface ListChoice {
  filter: ListFilter;
  ticks: Ticks;
  trend: TrendChoice;
}

/** What a trend is asked for of; an empty text is no choice. */
export interface TrendChoice {
  /** By its number. */
  folder: number;
  scenario: string;
  metric: string;
}

const conditions = Object.keys(noFilter) as readonly (keyof ListFilter)[];

/** Reads the query of an address. */
export function readChoice(query: string): ListChoice {
  const given = new URLSearchParams(query);
  const filter = Object.fromEntries(conditions.map((name) => [name, given.get(name) ?? '']));
  const folder = given.get('trend-folder') ?? '';
  return {
    filter: { ...noFilter, ...filter },
    ticks: { base: given.getAll('base'), head: given.getAll('head') },
    trend: {
      folder: /^\d+$/.test(folder) ? Number(folder) : 0,
      scenario: given.get('trend-scenario') ?? '',
      metric: given.get('trend-metric') ?? '',
    },
  };
}

/** Writes it, without what says nothing. Empty, or with its question mark. */
export function writeChoice({ filter, ticks, trend }: ListChoice): string {
  const given = conditions.filter((name) => filter[name] !== '').map((name): Pair => [name, filter[name]]);
  return queryOf([...given, ...tickPairs(ticks), ...trendPairs(trend)]);
}

/** The address of the comparison of what is ticked; `undefined`: a side has nothing. */
export function comparisonAddress(ticks: Ticks): string | undefined {
  return ticks.base.length === 0 || ticks.head.length === 0 ? undefined : `compare${queryOf(tickPairs(ticks))}`;
}

/** The address of the report of results, on one page. */
export function reportAddress(ids: readonly string[]): string {
  return `report${queryOf(ids.map((id): Pair => ['result', id]))}`;
}

/** The address of a trend; an empty metric: those that `trend` shows by itself. */
export function trendAddress({ folder, scenario, metric }: TrendChoice): string {
  const place: Pair[] = [
    ['folder', String(folder)],
    ['scenario', scenario],
  ];
  return `trend${queryOf(metric === '' ? place : [...place, ['metric', metric]])}`;
}

/** Puts a result on a side, or takes it off there; it is on one side at most. */
export function toggleTick({ base, head }: Ticks, side: Side, id: string): Ticks {
  const without = (ids: readonly string[]): string[] => ids.filter((each) => each !== id);
  const next = { base: without(base), head: without(head) };
  const wasOn = (side === 'base' ? base : head).includes(id);
  return wasOn ? next : { ...next, [side]: [...next[side], id] };
}

type Pair = [name: string, value: string];

const tickPairs = ({ base, head }: Ticks): Pair[] => [
  ...base.map((id): Pair => ['base', id]),
  ...head.map((id): Pair => ['head', id]),
];

const trendPairs = ({ folder, scenario, metric }: TrendChoice): Pair[] =>
  [
    ['trend-folder', folder === 0 ? '' : String(folder)] as const,
    ['trend-scenario', scenario] as const,
    ['trend-metric', metric] as const,
  ].flatMap(([name, value]): Pair[] => (value === '' ? [] : [[name, value]]));

function queryOf(pairs: Pair[]): string {
  const query = new URLSearchParams(pairs).toString();
  return query === '' ? '' : `?${query}`;
}
