import { positions, type Position } from './positions.ts';
import { seriesTable, type Series } from './series-table.ts';

export const ends = ['ok', 'failed'] as const;
export type End = (typeof ends)[number];

type KnownSeries = (typeof seriesTable)[number];
export type PublishedSeries = Extract<KnownSeries, { isPublished: true }>;
export type SplitSeries = Extract<KnownSeries, { equals: { ok: unknown } }>;
export type AdjustedSeries = Extract<PublishedSeries, { isAdjusted: true }>;

/** Parts of a series: `attempt.ok` and `attempt.failed`; `connect`, which is not split. */
type PartsOf<Each extends KnownSeries> = Each extends SplitSeries ? `${Each['name']}.${End}` : Each['name'];
/** Recorded parts of a series: `turn.3-4.ok`. */
type RecordedOf<Each extends KnownSeries> = Each extends { isByPosition: true }
  ? `${Each['name']}.${Position}.${End}`
  : PartsOf<Each>;

/** Names of recorded series: each observation is in exactly one histogram. */
export type SeriesName = RecordedOf<KnownSeries>;
/** Parts of published series, with all positions together. */
type SeriesPart = PartsOf<PublishedSeries>;

export const publishedSeries: readonly PublishedSeries[] = seriesTable.filter((series) => series.isPublished);
export const adjustedSeries: readonly AdjustedSeries[] = publishedSeries.filter((series) => series.isAdjusted);
export const splitSeries: readonly (SplitSeries & PublishedSeries)[] = publishedSeries.filter((series) =>
  isSplit(series),
);

/** Reports whether a series is of the model calls behind the agent, and absent without values. */
export function isOfModel<Each extends Series>(series: Each): series is Extract<Each, { isOfModel: true }> {
  return series.isOfModel === true;
}

export function isOfAttributedCalls(series: Series): boolean {
  return series.isOfAttributedCalls === true;
}

export function isSplit<Each extends Series>(series: Each): series is Extract<Each, { equals: { ok: unknown } }> {
  return 'ok' in series.equals;
}

/** Returns the recorded names of a series, or of one part of a split one: several if it is recorded by position. */
export function recordedNames(series: Series, end?: End): readonly SeriesName[] {
  const stems = series.isByPosition ? positions.map((position) => `${series.name}.${position}`) : [series.name];
  const kept = end === undefined ? ends : [end];
  const names = stems.flatMap((stem) => (isSplit(series) ? kept.map((each) => `${stem}.${each}`) : [stem]));
  return names as SeriesName[];
}

export function partsOf(series: PublishedSeries): { part: SeriesPart; recorded: readonly SeriesName[] }[] {
  return isSplit(series)
    ? ends.map((end) => ({ part: `${series.name}.${end}` as const, recorded: recordedNames(series, end) }))
    : [{ part: series.name, recorded: recordedNames(series) }];
}

/** Returns the equations of the parts of a series, with the counters that their values must equal. */
export function equalitiesOf(series: Series) {
  const { equals } = series;
  const parts =
    'ok' in equals ? ends.map((end) => ({ end, equality: equals[end] })) : [{ end: undefined, equality: equals.all }];
  return parts.map(({ end, equality: [meaning, counted] }) => ({
    equation: `${series.name} histogram${end === undefined ? '' : `, ${end}`} = ${meaning}`,
    counted,
    recorded: recordedNames(series, end),
  }));
}

export const seriesNames = seriesTable.flatMap((series) => recordedNames(series));
export const seriesParts = publishedSeries.flatMap((series) => partsOf(series).map(({ part }) => part));

/** Returns the series of ok or failed turns, by position. */
export function turnSeriesNames(end: End): readonly SeriesName[] {
  return positions.map((position) => `turn.${position}.${end}` as const);
}
