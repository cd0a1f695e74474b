import { neighbourCorrelation } from './autocorrelation.ts';

/** What a stretch adds to the two sums of a ratio. */
interface RatioPart {
  part: number;
  whole: number;
}

export interface RatioError {
  ratio: number;
  whole: number;
  /** Of the ratio. */
  standardError: number;
  degrees: number;
  /** How much neighbouring batches resemble each other: 0 is what batches should. */
  correlation: number;
}

/**
 * A ratio of sums over stretches whose neighbours resemble each other, with its standard error: batch means by the
 * delta method, 20 to 39 batches that grow with the series. Where the batches are still alike, their variance is
 * raised as of a first-order autoregressive series; `leastCorrelation`: as much as something behind them is known to
 * be. `null` without a whole, or with fewer than `leastBatches` stretches.
 */
export function ratioError(parts: readonly RatioPart[], leastBatches = 20, leastCorrelation = 0): RatioError | null {
  const size = 2 ** Math.max(0, Math.floor(Math.log2(parts.length / leastBatches)));
  const batches = inBatches(parts, size);
  const whole = sumOf(batches, (batch) => batch.whole);
  if (batches.length < leastBatches || whole <= 0) return null;
  const ratio = sumOf(batches, (batch) => batch.part) / whole;
  const residuals = batches.map((batch) => batch.part - ratio * batch.whole);
  const correlation = Math.max(leastCorrelation, neighbourCorrelation(residuals, 1));
  const squares = sumOf(residuals, (residual) => residual ** 2);
  const inflation = (1 + correlation) / (1 - correlation);
  const degrees = batches.length - 1;
  const standardError = Math.sqrt((squares * batches.length * inflation) / degrees) / whole;
  return { ratio, whole, standardError, degrees, correlation };
}

/** Of neighbours; what is left over at the start is left out. */
function inBatches(parts: readonly RatioPart[], size: number): RatioPart[] {
  const left = parts.length % size;
  return Array.from({ length: Math.floor(parts.length / size) }, (_, batch) => {
    const from = left + batch * size;
    const sum = { part: 0, whole: 0 };
    for (let at = from; at < from + size; at++) {
      sum.part += parts[at]?.part ?? 0;
      sum.whole += parts[at]?.whole ?? 0;
    }
    return sum;
  });
}

const sumOf = <Item>(items: readonly Item[], valueOf: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + valueOf(item), 0);
