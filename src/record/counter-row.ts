/** Export of a counter: its metric and, if an attribute distinguishes the counters of that metric, its value. */
export type ExportAs = readonly [metric: string, unit: string, meaning: string, attribute?: string, value?: string];

/** A counter. Not exported if it is a sum of other counters, the count of a series, or only used by statistics. */
export type CounterRow = readonly [name: string, ...as: readonly [] | ExportAs];
