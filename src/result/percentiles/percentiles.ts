export interface Percentile {
  key: 'p50Ms' | 'p75Ms' | 'p90Ms' | 'p95Ms' | 'p99Ms' | 'p999Ms' | 'p9999Ms';
  name: string;
  percent: number;
  /** Sample floor: below it, fewer than two samples exceed the true value with a probability above 1 %. */
  floor: number;
}

export const percentiles: readonly Percentile[] = [
  { key: 'p50Ms', name: 'p50', percent: 50, floor: 11 },
  { key: 'p75Ms', name: 'p75', percent: 75, floor: 24 },
  { key: 'p90Ms', name: 'p90', percent: 90, floor: 64 },
  { key: 'p95Ms', name: 'p95', percent: 95, floor: 130 },
  { key: 'p99Ms', name: 'p99', percent: 99, floor: 662 },
  { key: 'p999Ms', name: 'p99.9', percent: 99.9, floor: 6636 },
  { key: 'p9999Ms', name: 'p99.99', percent: 99.99, floor: 66_381 },
];
