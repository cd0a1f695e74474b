import { ChatLoadError } from '../../base/errors.ts';
import { unknownName } from '../../base/unknown-name.ts';
import { trendDefaults } from '../../compare/trend/build-trend.ts';
import {
  runsOfLastNights,
  selectRuns,
  type Selection,
  addFigures,
  takeTrendRun,
  type TrendRun,
} from '../../compare/trend/trend-run.ts';
import type { Trend } from '../../compare/trend/trend.ts';
import { readFolderFacts, readFolderHeads, type ResultsReading } from '../../edge/disk/read-result.ts';

/** Whose runs are read, and of how many nights. */
export interface RunsWanted {
  folder: string;
  /** The names of files in it; `undefined`: all. */
  files?: readonly string[] | undefined;
  scenario?: string | undefined;
  label?: string | undefined;
  /** Nights to look at, the last ones. */
  window: number;
}

/** The runs of any scenario; warnings and files skipped as far as they concern the one asked for, or may. */
export interface RunsRead extends Selection {
  skipped: Trend['skipped'];
}

/**
 * All runs in a folder that are fit, of any scenario, with figures where nights are looked at: for the trend or for the
 * history. Throws a usage error where there is none, or none of that scenario or label.
 */
export function readRuns(wanted: RunsWanted): RunsRead {
  const { folder } = wanted;
  const read = readFolderFacts(wanted, takeTrendRun);
  const isShown = ({ group }: TrendRun): boolean =>
    wanted.scenario === undefined || group.scenario.name === wanted.scenario;
  const { runs } = selectRuns(read.taken, wanted.label);
  if (runs.length === 0) throw nothing(read, wanted);
  checkScenario(runs, wanted);
  const asked = new Set(runsOfLastNights(runs, Math.max(wanted.window, trendDefaults.window)));
  const heads = readFolderHeads({ folder, asked: [...asked] }, addFigures);
  const older = runs.filter((run) => !asked.has(run));
  const ofOthers = new Set(runs.filter((run) => !isShown(run)).map(({ file }) => file));
  const skipped = [...read.skipped, ...heads.skipped].filter(({ file }) => !ofOthers.has(file));
  const whole = [...older, ...heads.taken];
  if (!whole.some(isShown)) throw nothing({ taken: [], skipped }, wanted);
  return { runs: whole, warnings: selectRuns(read.taken.filter(isShown), wanted.label).warnings, skipped };
}

function checkScenario(runs: readonly TrendRun[], { scenario, folder }: RunsWanted): void {
  const names = [...new Set(runs.map(({ group }) => group.scenario.name))];
  if (scenario !== undefined && !names.includes(scenario))
    throw usage(`--scenario: ${unknownName('scenario', scenario, names)}`, `Give one that has results in ${folder}.`);
}

function nothing({ taken, skipped }: ResultsReading<TrendRun>, { folder, label }: RunsWanted): ChatLoadError {
  const labels = [...new Set(taken.flatMap((run) => run.label ?? []))];
  if (label !== undefined && taken.length > 0 && !labels.includes(label))
    return usage(`--label: ${unknownName('label', label, labels)}`, `Give one that has results in ${folder}.`);
  const files = [
    ...skipped.map(({ file, problem }) => `${file} ${problem}`),
    ...taken.flatMap(({ file, unfit }) => (unfit === null ? [] : [`${file}: ${unfit}`])),
  ];
  const told = files.slice(0, 3).map((text) => `\n  ${text}`);
  const more = files.length > 3 ? `\n  and ${String(files.length - 3)} more` : '';
  return usage(
    `There is no usable result in ${folder}.${told.join('')}${more}`,
    'Name the folder with the results of chat-load run; folders within it are not read.',
  );
}

const usage = (message: string, hint: string): ChatLoadError => new ChatLoadError('usage', { message, hint });
