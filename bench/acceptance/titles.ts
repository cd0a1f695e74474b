/** Chapters of bench/results.md with the cases that others have published. */
export const acceptanceTitles = [
  'Acceptance: dispatch',
  'Acceptance: sent instants',
  'Acceptance: percentiles',
  'Acceptance: coverage',
] as const;
