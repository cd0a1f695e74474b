import { ChatLoadError } from '../../base/errors.ts';
import { metricRules } from '../../compare/metrics/metric-rules.ts';
import { buildHistory } from '../../compare/trend/build-history.ts';
import type { TrendRun } from '../../compare/trend/trend-run.ts';
import { writeWhole } from '../../edge/disk/write-result.ts';

/** Writes the history of runs, of all their scenarios and metrics, to a file. Throws `environment` where that cannot be done. */
export async function keepHistory(runs: readonly TrendRun[], path: string): Promise<void> {
  try {
    await writeWhole(path, `${JSON.stringify(buildHistory(runs, metricRules), null, 1)}\n`);
  } catch (thrown) {
    if (!(thrown instanceof ChatLoadError)) throw thrown;
    const hint = 'Name another file with --history, or leave the flag out to keep none.';
    throw new ChatLoadError('environment', { message: thrown.message, hint, cause: thrown });
  }
}
