import { formatMs } from '../../base/format.ts';

/** A figure whose measurement error matters. */
export interface DoubtfulFigure {
  metric: string;
  valueMs: number;
  errorMs: number;
}

/** Errors up to this never matter, in milliseconds. */
const negligibleMs = 1;

/** Share of a figure that its error may have. */
const allowedShare = 0.05;

/**
 * Reports whether the measurement error of a figure matters: it exceeds both a millisecond and a share of the figure. In comparisons
 * the share is half of the margin.
 */
export function isDoubtful(valueMs: number, errorMs: number, share = allowedShare): boolean {
  return errorMs > negligibleMs && errorMs > share * valueMs;
}

export function describeDoubtful({ metric, valueMs, errorMs }: DoubtfulFigure): string {
  return `${metric} (${formatMs(valueMs)}) may be up to ${formatMs(errorMs)} too high`;
}
