import { buildTrend } from '../../compare/trend/build-trend.ts';
import { trendDefaults } from '../../compare/trend/trend-options.ts';
import {
  findAlarm,
  isDoubted,
  isSearched,
  seriesInReach,
  type AlarmOn,
  buildHistory,
} from '../../compare/trend/build-history.ts';
import type { Trend } from '../../compare/trend/trend.ts';
import {
  type TrendRun,
  runsOfLastNights,
  selectRuns,
  type Selection,
  addFigures,
  takeTrendRun,
} from '../../compare/trend/trend-run.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { ChatLoadError, usageError, environmentError } from '../../base/errors.ts';
import { unknownName } from '../../base/unknown-name.ts';
import { unknownMetric } from '../../result/metrics/unknown-metric.ts';
import { type MetricRule, metricRules } from '../../compare/metrics/metric-rules.ts';
import { readFolderFacts, readFolderHeads, type ResultsReading } from '../../edge/disk/read-result.ts';
import { writeWhole } from '../../edge/disk/write-result.ts';

interface TrendWanted extends RunsWanted {
  /** Names of metrics. Default: the gate family, `turn.ok.p90` and `effective.ok.p99`. */
  metrics: readonly string[] | undefined;
  alpha: number;
  /** Changes in the recent nights that raise an alarm. Default: none. */
  failOn: AlarmOn | undefined;
  recent: number;
}

/** Finds change points in the results of a folder. Throws the errors of `chooseRules` and `readRuns`. */
export function performTrend(wanted: TrendWanted): { trend: Trend; runs: readonly TrendRun[] } {
  const { metrics, alpha, window, scenario } = wanted;
  const rules = chooseRules(metrics);
  const isRequested = metrics !== undefined;
  const { runs, skipped, warnings } = readRuns(wanted);
  const shown = runs.filter(({ group }) => scenario === undefined || group.scenario.name === scenario);
  const trend = buildTrend({ runs: shown, rules, isRequested, toolVersion, skipped, warnings, alpha, window });
  return { trend: { ...trend, alarm: alarmOf(trend, wanted) }, runs };
}

function alarmOf(trend: Trend, { failOn: on, recent: nights }: TrendWanted): Trend['alarm'] {
  if (on === undefined) return null;
  const series = seriesInReach(trend, nights);
  const doubtful = series.filter((group) => isDoubted(group, nights)).length;
  const searched = series.filter(isSearched).length;
  return { on, nights, date: findAlarm(trend, { on, nights })?.date ?? null, doubtful, searched };
}

/** Returns the metrics of a trend, by default those of the gate family and two percentiles. Throws a usage error for an unknown one. */
function chooseRules(names: readonly string[] | undefined): MetricRule[] {
  if (names === undefined)
    return metricRules.filter(({ name, isGated }) => isGated || ['turn.ok.p90', 'effective.ok.p99'].includes(name));
  const known = metricRules.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw usageError(
      `--metric: ${unknownMetric(unknown, known)}`,
      'docs/reference/metrics.md lists the metrics that are compared.',
    );
  return metricRules.filter(({ name }) => names.includes(name));
}

interface RunsWanted {
  folder: string;
  /** Names of files to read. Default: all. */
  files?: readonly string[] | undefined;
  scenario?: string | undefined;
  label?: string | undefined;
  window: number;
}

/**
 * Reads all usable runs of a folder, of all scenarios, with figures for the analyzed nights. Throws a usage error if there
 * is none, or none of the requested scenario or label.
 */
function readRuns(wanted: RunsWanted): Selection & Pick<Trend, 'skipped'> {
  const { folder } = wanted;
  const read = readFolderFacts(wanted, takeTrendRun);
  const isShown = ({ group }: TrendRun): boolean =>
    wanted.scenario === undefined || group.scenario.name === wanted.scenario;
  const { runs } = selectRuns(read.taken, wanted.label);
  if (runs.length === 0) throw nothing(read, wanted);
  const names = [...new Set(runs.map(({ group }) => group.scenario.name))];
  const { scenario } = wanted;
  if (scenario !== undefined && !names.includes(scenario))
    throw usageError(
      `--scenario: ${unknownName('scenario', scenario, names)}`,
      `Name one that has results in ${folder}.`,
    );
  const analyzed = new Set(runsOfLastNights(runs, Math.max(wanted.window, trendDefaults.window)));
  const heads = readFolderHeads({ folder, asked: [...analyzed] }, addFigures);
  const older = runs.filter((run) => !analyzed.has(run));
  const ofOthers = new Set(runs.filter((run) => !isShown(run)).map(({ file }) => file));
  const skipped = [...read.skipped, ...heads.skipped].filter(({ file }) => !ofOthers.has(file));
  const whole = [...older, ...heads.taken];
  if (!whole.some(isShown)) throw nothing({ taken: [], skipped }, wanted);
  return { runs: whole, warnings: selectRuns(read.taken.filter(isShown), wanted.label).warnings, skipped };
}

function nothing({ taken, skipped }: ResultsReading<TrendRun>, { folder, label }: RunsWanted): ChatLoadError {
  const labels = [...new Set(taken.flatMap((run) => run.label ?? []))];
  if (label !== undefined && taken.length > 0 && !labels.includes(label))
    return usageError(`--label: ${unknownName('label', label, labels)}`, `Name one that has results in ${folder}.`);
  const files = [
    ...skipped.map(({ file, problem }) => `${file} ${problem}`),
    ...taken.flatMap(({ file, unfit }) => (unfit === null ? [] : [`${file}: ${unfit}`])),
  ];
  const listed = files.slice(0, 3).map((text) => `\n  ${text}`);
  const more = files.length > 3 ? `\n  and ${String(files.length - 3)} more` : '';
  return usageError(
    `No usable result in '${folder}'.${listed.join('')}${more}`,
    'Name the folder with the results of chat-load run; subfolders are not read.',
  );
}

/** Writes the history of runs, for all scenarios and metrics, to a file. Throws `environment` if it cannot be written. */
export async function keepHistory(runs: readonly TrendRun[], path: string): Promise<void> {
  try {
    await writeWhole(path, `${JSON.stringify(buildHistory(runs, metricRules), null, 1)}\n`);
  } catch (thrown) {
    if (!(thrown instanceof ChatLoadError)) throw thrown;
    const hint = 'Name another file with --history, or omit the flag.';
    throw environmentError(thrown.message, hint, thrown);
  }
}
