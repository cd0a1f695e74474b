/** Options of a trend. */
export interface TrendOptions {
  /** Maximum p of a change: 0.001 for alarms, 0.005 for exploration. */
  alpha: number;
  /** Number of latest nights that are examined. */
  window: number;
}

export const trendDefaults: TrendOptions = { alpha: 0.001, window: 60 };
