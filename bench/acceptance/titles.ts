/** Chapters of bench/results.md with published cases of other tools. */
export const acceptanceTitles = [
  'Acceptance: dispatch',
  'Acceptance: sent instants',
  'Acceptance: percentiles',
  'Acceptance: coverage',
] as const;
