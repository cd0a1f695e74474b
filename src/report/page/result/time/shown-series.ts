import { partsOf, publishedSeries } from '../../../../record/series.ts';
import type { Interval } from '../../../../result/sections/intervals.ts';

export type SeriesPart = keyof Interval['latency'];

/** A series that a reader can choose. */
export interface ShownSeries {
  /** Names its columns: `turn`, `turn.ok`. */
  key: string;
  label: string;
  /** The stored series that it is made of. */
  parts: readonly SeriesPart[];
  /** Whether its heat map is shown: of whole series, backoffs as planned apart. */
  hasHeat: boolean;
}

/** The series with values, each followed by its ok and its failed part where something of it failed. */
export function shownSeries(intervals: readonly Pick<Interval, 'latency'>[]): ShownSeries[] {
  const seen = new Set(intervals.flatMap(({ latency }) => Object.keys(latency)));
  return publishedSeries.flatMap((series) => {
    const parts = partsOf(series)
      .map(({ part }) => part)
      .filter((part) => seen.has(part));
    if (parts.length === 0) return [];
    const whole = { key: series.name, label: series.label, parts, hasHeat: series.name !== 'backoff' };
    return seen.has(`${series.name}.failed`) ? [whole, ...parts.map((part) => partOf(part, series.label))] : [whole];
  });
}

const partOf = (part: SeriesPart, label: string): ShownSeries => ({
  key: part,
  label: `${label}, ${part.endsWith('.ok') ? 'ok' : 'failed'}`,
  parts: [part],
  hasHeat: false,
});
