import { countOf, formatCount } from '../../../base/format.ts';
import type { ListedDocument, ListRow } from './list.ts';

/** Conditions on rows; an empty text matches all. */
export interface ListFilter {
  /** Exact name. */
  scenario: string;
  /** Part of the label, in any letter case; likewise for the commit. */
  label: string;
  verdict: string;
  commit: string;
}

export const noFilter: ListFilter = { scenario: '', label: '', verdict: '', commit: '' };

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

type Unit = Pick<ListedDocument, 'name' | 'singular' | 'plural'>;

const unreadable: Unit = { name: 'unreadable', singular: 'unreadable file', plural: 'unreadable files' };

/** Formats the numbers of shown and all rows by kind of document: `2 of 8 results, 0 of 3 unreadable files`. */
export function countText(shown: readonly Counted[], all: readonly Counted[], documents: readonly Unit[]): string {
  const isWhole = shown.length === all.length;
  const part = ({ name, singular, plural }: Unit): string =>
    `${isWhole ? '' : `${formatCount(countIn(shown, name))} of `}${countOf(countIn(all, name), singular, plural)}`;
  const listed = [...documents, unreadable].filter(({ name }) => countIn(all, name) > 0);
  return (listed.length === 0 ? documents.slice(0, 1) : listed).map(part).join(', ');
}

const unitOf = ({ verdict, document }: Counted): string => (verdict === 'UNREADABLE' ? unreadable.name : document);

const countIn = (rows: readonly Counted[], unit: string): number => rows.filter((row) => unitOf(row) === unit).length;

/** Sides of a comparison, as ids of results. */
export interface Ticks {
  base: readonly string[];
  head: readonly string[];
}
export type Side = keyof Ticks;

/** State of a list, stored in its address so that it survives reload and back navigation, and can be shared. */
export interface ListChoice {
  filter: ListFilter;
  ticks: Ticks;
  trend: TrendChoice;
}

/** Chosen trend; empty texts stand for the defaults. */
export interface TrendChoice {
  folder: number;
  scenario: string;
  metric: string;
}

const conditions = Object.keys(noFilter) as readonly (keyof ListFilter)[];

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

/** Serializes a choice as a query with its question mark; '' for the default choice. */
export function writeChoice({ filter, ticks, trend }: ListChoice): string {
  const given = conditions.filter((name) => filter[name] !== '').map((name): Pair => [name, filter[name]]);
  return queryOf([...given, ...tickPairs(ticks), ...trendPairs(trend)]);
}

/** Returns the address of the comparison of the selected results; undefined while a side is empty. */
export function comparisonAddress(ticks: Ticks): string | undefined {
  return ticks.base.length === 0 || ticks.head.length === 0 ? undefined : `compare${queryOf(tickPairs(ticks))}`;
}

/** Returns the address of the report of results, on one page. */
export function reportAddress(ids: readonly string[]): string {
  return `report${queryOf(ids.map((id): Pair => ['result', id]))}`;
}

/** Returns the address of a trend; an empty metric stands for the default metrics of `trend`. */
export function trendAddress({ folder, scenario, metric }: TrendChoice): string {
  const pairs: Pair[] = [
    ['folder', String(folder)],
    ['scenario', scenario],
  ];
  return `trend${queryOf(metric === '' ? pairs : [...pairs, ['metric', metric]])}`;
}

/** Adds a result to a side or removes it; a result is on one side at most. */
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
