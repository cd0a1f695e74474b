import type { Environment } from '../../result/sections/environment.ts';
import type { ReadingAccuracy } from '../../result/sections/reading.ts';
import type { FeltLoad, ReadingErrors } from '../../result/sections/calibration.ts';
import type { Result } from '../../result/result.ts';
import { countOf, formatCount, formatMs } from '../words/format.ts';
import type { Style } from '../words/table.ts';
import { wrap } from '../words/wrap.ts';

const indent = 10;

/** How well this generator reads percentiles at the load of the run. */
export function readingLines(result: Pick<Result, 'calibration' | 'environment'>, { width }: Style): string[] {
  return wrap(readingText(result), width - indent).map(
    (line, index) => (index === 0 ? 'reading' : '').padEnd(indent) + line,
  );
}

export function readingText({
  calibration: reading,
  environment,
}: {
  calibration: ReadingAccuracy | null;
  environment: Pick<Environment, 'workers'> | null;
}): string {
  if (environment?.workers) return 'not stated for a run of several shards';
  if (reading === null) return 'not calibrated: chat-load calibrate';
  const { largestErrors, calibratedTo } = reading;
  if (largestErrors === null) return `unknown: beyond the calibrated loads (${calibratedTo.map(loadText).join('; ')})`;
  return `at this load this generator reads ${withinText(largestErrors.attempt)} (effective: ${withinText(largestErrors.effective)})`;
}

/** What a generator carries, or a run was. */
function loadText({ attemptsPerSecond, turnsInFlight }: FeltLoad): string {
  return `${countOf(attemptsPerSecond, 'attempt')}/s with ${formatCount(turnsInFlight)} turns in flight`;
}

const withinText = ({ p50Ms, p99Ms }: ReadingErrors): string =>
  `p50 within ${formatMs(p50Ms)} and p99 within ${formatMs(p99Ms)}`;
