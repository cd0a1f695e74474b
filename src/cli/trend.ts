import { ChatLoadError } from '../base/errors.ts';
import { printableJson } from '../base/printable.ts';
import type { MetricRule } from '../compare/metrics/metric-rule.ts';
import { metricRules } from '../compare/metrics/metric-rules.ts';
import { buildHistory } from '../compare/trend/build-history.ts';
import { buildTrend, trendDefaults } from '../compare/trend/build-trend.ts';
import { findAlarm, type AlarmOn } from '../compare/trend/find-alarm.ts';
import { runsOfLastNights } from '../compare/trend/night.ts';
import { selectRuns, type Selection } from '../compare/trend/select-runs.ts';
import type { Trend } from '../compare/trend/trend.ts';
import { addFigures, takeTrendRun, type TrendRun } from '../compare/trend/trend-run.ts';
import { readFolderFacts, readFolderHeads, type ResultsReading } from '../edge/disk/read-result-folder.ts';
import { writeWhole } from '../edge/disk/write-result.ts';
import { renderTrend } from '../report/trend/render-trend.ts';
import { renderTrendMarkdown } from '../report/trend/render-trend-markdown.ts';
import { failedLine } from '../report/words/last-line.ts';
import { unknownName } from '../base/unknown-name.ts';
import type { Command } from './command.ts';
import { stdout } from './terminal.ts';
import { toolVersion } from '../edge/tool-version.ts';

const formats = ['terminal', 'markdown', 'json'] as const;

interface TrendArguments {
  folder: string;
  scenario?: string | undefined;
  label?: string | undefined;
  metric?: string[] | undefined;
  alpha: number;
  window: number;
  format: (typeof formats)[number];
  json: boolean;
  history?: string | undefined;
  'fail-on'?: AlarmOn | undefined;
  recent: number;
}

export const trendCommand: Command<TrendArguments> = {
  builder: (yargs) =>
    yargs
      .positional('folder', { type: 'string', default: 'results', describe: 'The folder with the results' })
      .option('scenario', { type: 'string', requiresArg: true, describe: 'Only the scenario of this name' })
      .option('label', { type: 'string', requiresArg: true, describe: 'Only runs with this label' })
      .option('metric', {
        type: 'string',
        array: true,
        nargs: 1,
        describe: 'This metric; may be given several times [the gate family and two more]',
      })
      .option('alpha', {
        type: 'number',
        default: trendDefaults.alpha,
        requiresArg: true,
        describe: 'The greatest p of a change that is told: 0.001 to be alarmed, 0.005 to look',
      })
      .option('window', {
        type: 'number',
        default: trendDefaults.window,
        requiresArg: true,
        describe: 'How many nights are looked at, the last ones',
      })
      .option('format', { choices: formats, default: 'terminal' as const, describe: 'How it is printed' })
      .option('json', { type: 'boolean', default: false, describe: 'The same as --format json' })
      .option('history', {
        type: 'string',
        requiresArg: true,
        describe:
          'Write what nights differ by to this file, for compare; history.json beside the results is found by itself',
      })
      .option('fail-on', {
        choices: ['change', 'regression'] as const,
        describe: 'Exit 1 when a gated metric changed in the recent nights; regression: for the worse',
      })
      .option('recent', {
        type: 'number',
        default: 7,
        requiresArg: true,
        describe: 'How many nights are recent; a change is told after 3 of them, a small one after 6 or more',
      })
      .epilogue(
        'A night is a sitting; a run on its own is one of its own. Another scenario text, machine class or load starts a new ' +
          'series. Exit codes: 0 ok, 1 by --fail-on, 2 usage or no results, 3 the history cannot be written.',
      )
      .example('$0 trend', 'What changed in results/, and since when')
      .example('$0 trend nightly --metric turn.ok.p99 --alpha 0.005', 'One metric, looked at closely')
      .example('$0 trend nightly --fail-on regression', 'For a nightly job')
      .example('$0 trend nightly --format markdown', 'For a page')
      .example('$0 trend nightly --history nightly/history.json', 'Keep the usual noise for compare'),
  handler: async (args) => {
    checkNumbers(args);
    const rules = chooseRules(args.metric);
    const { runs, skipped, warnings } = readRuns(args);
    const shown = runs.filter(({ group }) => args.scenario === undefined || group.scenario.name === args.scenario);
    const { alpha, window } = args;
    const trend = buildTrend({ runs: shown, rules, toolVersion, skipped, warnings, alpha, window });
    stdout.line(render(trend, args));
    await keepHistory(runs, args);
    process.exitCode = judge(trend, args);
  },
};

const extra = ['turn.ok.p90', 'effective.ok.p99'];

function chooseRules(names: readonly string[] | undefined): MetricRule[] {
  if (names === undefined) return metricRules.filter(({ name, isGated }) => isGated || extra.includes(name));
  const known = metricRules.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw usage(`--metric: ${unknownName('metric', unknown, known)}`, 'Name one that releases are compared by.');
  return metricRules.filter(({ name }) => names.includes(name));
}

function checkNumbers({ alpha, window, recent }: TrendArguments): void {
  if (!(alpha > 0 && alpha < 1)) throw usage('--alpha takes a probability.', 'Give one such as 0.001 or 0.005.');
  if (!Number.isInteger(window) || window < 10)
    throw usage('--window takes how many nights to look at.', 'Give a whole number, 10 at least, such as 60.');
  if (!Number.isInteger(recent) || recent < 3)
    throw usage(
      '--recent takes how many nights are recent.',
      'Give a whole number; no change is told before 3 nights.',
    );
}

/** All runs that are fit, with figures where nights are looked at: for the trend or for the history. */
function readRuns(args: TrendArguments): Selection & { skipped: Trend['skipped'] } {
  const { folder } = args;
  const read = readFolderFacts(folder, takeTrendRun);
  const { runs, warnings } = selectRuns(read.taken, args.label);
  if (runs.length === 0) throw nothing(read, args);
  checkScenario(runs, args);
  const asked = new Set(runsOfLastNights(runs, Math.max(args.window, trendDefaults.window)));
  const heads = readFolderHeads({ folder, asked: [...asked] }, addFigures);
  const older = runs.filter((run) => !asked.has(run));
  const skipped = [...read.skipped, ...heads.skipped];
  if (older.length + heads.taken.length === 0) throw nothing({ taken: [], skipped }, args);
  return { runs: [...older, ...heads.taken], warnings, skipped };
}

function checkScenario(runs: readonly TrendRun[], { scenario, folder }: TrendArguments): void {
  const names = [...new Set(runs.map(({ group }) => group.scenario.name))];
  if (scenario !== undefined && !names.includes(scenario))
    throw usage(`--scenario: ${unknownName('scenario', scenario, names)}`, `These have results in ${folder}.`);
}

function nothing({ taken, skipped }: ResultsReading<TrendRun>, { folder, label }: TrendArguments): ChatLoadError {
  const labels = [...new Set(taken.flatMap((run) => run.label ?? []))];
  if (label !== undefined && taken.length > 0 && !labels.includes(label))
    return usage(`--label: ${unknownName('label', label, labels)}`, `These have results in ${folder}.`);
  const files = [
    ...skipped.map(({ file, problem }) => `${file} ${problem}`),
    ...taken.flatMap(({ file, unfit }) => (unfit === null ? [] : [`${file}: ${unfit}`])),
  ];
  const lines = files.slice(0, 3).map((text) => `\n  ${text}`);
  const more = files.length > 3 ? `\n  and ${String(files.length - 3)} more` : '';
  return usage(
    `There is no usable result in ${folder}.${lines.join('')}${more}`,
    'Name the folder that holds results of chat-load run; folders within it are not read.',
  );
}

function render(trend: Trend, { format, json }: TrendArguments): string {
  if (json || format === 'json') return printableJson(trend, 2);
  return format === 'markdown' ? renderTrendMarkdown(trend) : renderTrend(trend, stdout);
}

/** For all scenarios and metrics, whatever was asked to be shown. */
async function keepHistory(runs: readonly TrendRun[], args: TrendArguments): Promise<void> {
  const path = args.history;
  if (path === undefined) return;
  try {
    await writeWhole(path, `${JSON.stringify(buildHistory(runs, metricRules), null, 1)}\n`);
  } catch (thrown) {
    if (!(thrown instanceof ChatLoadError)) throw thrown;
    const hint = 'Name another file with --history, or leave it out to keep none.';
    throw new ChatLoadError('environment', { message: thrown.message, hint, cause: thrown });
  }
  if (!args.json && args.format === 'terminal') stdout.line(`\nhistory   ${path}`);
}

/** Where `--fail-on` asks for a verdict, says it as the last line, like that of a run. Gives the exit code. */
function judge(trend: Trend, { 'fail-on': on, recent, format, json }: TrendArguments): number {
  if (on === undefined) return 0;
  const alarm = findAlarm(trend, { on, nights: recent });
  if (!json && format === 'terminal')
    stdout.line(alarm === undefined ? 'PASSED' : failedLine(`a gated metric changed in the night of ${alarm.date}`));
  return alarm === undefined ? 0 : 1;
}

const usage = (message: string, hint: string): ChatLoadError => new ChatLoadError('usage', { message, hint });
