/** Options of a trend. */
export interface TrendOptions {
  /** The greatest p of a change: 0.001 to be alarmed, 0.005 to look. */
  alpha: number;
  /** Number of latest nights that are examined. */
  window: number;
}

export const trendDefaults: TrendOptions = { alpha: 0.001, window: 60 };
