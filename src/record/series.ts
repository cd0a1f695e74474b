import { positions, type Position } from './positions.ts';
import { seriesTable, type Series } from './series-table.ts';

/** The outcomes by which a series is split. */
export const ends = ['ok', 'failed'] as const;
export type End = (typeof ends)[number];

type KnownSeries = (typeof seriesTable)[number];
export type PublishedSeries = Extract<KnownSeries, { isPublished: true }>;
export type SplitSeries = Extract<KnownSeries, { equals: { ok: unknown } }>;
export type AdjustedSeries = Extract<PublishedSeries, { isAdjusted: true }>;

/** A series part by part: `attempt.ok` and `attempt.failed`; `connect`, which is not split. */
type PartsOf<Each extends KnownSeries> = Each extends SplitSeries ? `${Each['name']}.${End}` : Each['name'];
/** The same as it is recorded: `turn.3-4.ok`. */
type RecordedOf<Each extends KnownSeries> = Each extends { isByPosition: true }
  ? `${Each['name']}.${Position}.${End}`
  : PartsOf<Each>;

/** Every series as it is recorded: each observation goes into exactly one histogram. */
export type SeriesName = RecordedOf<KnownSeries>;
/** The parts of published series, positions together. */
type SeriesPart = PartsOf<PublishedSeries>;

export const publishedSeries: readonly PublishedSeries[] = seriesTable.filter((series) => series.isPublished);
export const adjustedSeries: readonly AdjustedSeries[] = publishedSeries.filter((series) => series.isAdjusted);
export const splitSeries: readonly (SplitSeries & PublishedSeries)[] = publishedSeries.filter((series) =>
  isSplit(series),
);

/** Whether ok and failed values are separate. */
export function isSplit<Each extends Series>(series: Each): series is Extract<Each, { equals: { ok: unknown } }> {
  return 'ok' in series.equals;
}

/** The names under which a series, or one end of a split one, is recorded: several where it is kept by position. */
export function recordedNames(series: Series, end?: End): readonly SeriesName[] {
  const stems = series.isByPosition ? positions.map((position) => `${series.name}.${position}`) : [series.name];
  const kept = end === undefined ? ends : [end];
  const names = stems.flatMap((stem) => (isSplit(series) ? kept.map((each) => `${stem}.${each}`) : [stem]));
  return names as SeriesName[];
}

/** The parts of a series with the names under which each is recorded. */
export function partsOf(series: PublishedSeries): { part: SeriesPart; recorded: readonly SeriesName[] }[] {
  return isSplit(series)
    ? ends.map((end) => ({ part: `${series.name}.${end}` as const, recorded: recordedNames(series, end) }))
    : [{ part: series.name, recorded: recordedNames(series) }];
}

/** What the values of each part of a series have to be equal to, in words and counted. */
export function equalitiesOf(series: Series) {
  const { equals } = series;
  const parts = 'ok' in equals ? ends.map((end) => ({ end, equality: equals[end] })) : [{ equality: equals.all }];
  return parts.map(({ equality: [equation, counted], ...part }) => ({
    equation,
    counted,
    recorded: recordedNames(series, 'end' in part ? part.end : undefined),
  }));
}

export const seriesNames = seriesTable.flatMap((series) => recordedNames(series));
export const seriesParts = publishedSeries.flatMap((series) => partsOf(series).map(({ part }) => part));

/** The series of ok or failed turns, by position. */
export function turnSeriesNames(end: End): readonly SeriesName[] {
  return seriesTable.filter(({ name }) => name === 'turn').flatMap((series) => recordedNames(series, end));
}
