import { quantileOf } from '../../record/quantile.ts';
import type { OpenRun } from './open-run.ts';
import type { RunReading } from '../document/run-figure.ts';
import { countsBelow, type SeriesWindow } from '../../result/percentiles/series-window.ts';
import { sumOf } from '../../statistics/sum-of.ts';
import { withinError } from '../../statistics/within-error.ts';

/** The number of values required beyond a quantile on either side. */
const leastBeyond = 100;

/** How many values a quantile takes. */
export function valuesNeeded(quantile: number): number {
  return Math.ceil(leastBeyond / Math.min(quantile, 1 - quantile) - 1e-6);
}

/** A quantile of a series; none with too few values beyond it, or where it falls among failures. */
export function readQuantile(run: OpenRun, { series, quantile }: { series: string; quantile: number }): RunReading {
  const cut = cutOf(run, series);
  if (cut !== undefined && cut.share > 1 - quantile)
    return { missing: 'censored', detail: `more than ${percent(1 - quantile)} of ${cut.what}` };
  const window = run.series(series);
  const { count } = window;
  const needed = valuesNeeded(quantile);
  if (count === 0) return { missing: 'no_data', detail: 'no values' };
  if (count < needed)
    return {
      missing: 'insufficient_data',
      detail: `${grouped(needed)} values are needed, the measured window has ${grouped(count)}`,
    };
  const value = quantileOf(window.whole, quantile);
  const below = countsBelow(window, quantile);
  const error = withinError(
    run,
    window.opened.map((part, at) => (below[at] ?? 0) - quantile * part.count),
  );
  const withinVariance = error === null ? null : invert(window, quantile, error / count);
  return { figure: { level: Math.log(value), withinVariance, value, count } };
}

/** Woodruff (1952): the error of the share of values below the quantile, turned into one of the quantile's logarithm. */
function invert({ whole }: SeriesWindow, quantile: number, shareError: number): number {
  const high = quantileOf(whole, Math.min(1, quantile + shareError));
  const low = quantileOf(whole, Math.max(0, quantile - shareError));
  return (Math.log(high / low) / 2) ** 2;
}

/** What cuts a series off at its upper end: turns that failed for good, attempts that timed out. */
function cutOf(run: OpenRun, series: string): { share: number; what: string } | undefined {
  const shareOf = (of: string, among: string): number => sumOf(run.counts(of)) / Math.max(1, sumOf(run.counts(among)));
  const verdict = 'verdict by failed share only';
  switch (series) {
    case 'turn.ok':
    case 'effective.ok':
    case 'effectiveFirstToken.ok':
      return { share: shareOf('turns.failed', 'turns.finished'), what: `turns failed: ${verdict}` };
    case 'attempt.ok':
    case 'firstToken.ok':
    case 'firstAnswer.ok':
      return { share: shareOf('attempts.timed_out', 'attempts.finished'), what: `attempts timed out: ${verdict}` };
    case 'sessionCreate':
      return {
        share: shareOf('createAttempts.timed_out', 'createAttempts.finished'),
        what: 'attempts to create a session timed out',
      };
    default:
      return undefined;
  }
}

const percent = (share: number): string => `${String(Number((share * 100).toPrecision(6)))} %`;
const grouped = (count: number): string => count.toLocaleString('en-US');
