export interface TrendOptions {
  alpha: number;
  window: number;
}

export const trendDefaults: TrendOptions = { alpha: 0.001, window: 60 };
