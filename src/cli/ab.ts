import { printable } from '../base/printable.ts';
import { sideNames } from '../compare/document/side.ts';
import { prepareFolder } from '../edge/disk/write-result.ts';
import type { Settled } from '../plan/settle.ts';
import { signalExitCodes } from '../result/exit-code.ts';
import { failedLine } from '../report/words/last-line.ts';
import { renderPlan } from '../report/plan/render-plan.ts';
import { keyNames, readRuns, settleSides, type AbArguments } from './ab-arguments.ts';
import { readComparison, takeComparison, type ComparisonOptions } from './comparison-options.ts';
import type { Stops } from '../app/run/ports.ts';
import { runLine } from '../report/run/run-line.ts';
import { checkSockets } from '../app/run/check-sockets.ts';
import type { Command } from './command.ts';
import { concludeRun } from './conclude.ts';
import { endWithVerdict } from './end-with-verdict.ts';
import { takeFlags } from './flags.ts';
import { compareReleases, type ReleasesOptions } from '../app/ab/compare-releases.ts';
import type { Pairs } from '../app/ab/perform-pairs.ts';
import { viewPlan } from '../app/plan-view.ts';
import { exitCodeOfComparison, publishComparison } from './publish-comparison.ts';
import { requireReachable } from '../app/run/require-reachable.ts';
import { takeOverrides, takeScenarioPath } from './scenario-flags.ts';
import { openScreen } from './screen.ts';
import { takeSignals } from './signals.ts';
import { watchStrays } from './stray-code.ts';
import { stderr, stdout } from './terminal.ts';

export const abCommand: Command<AbArguments> = {
  builder: (yargs) =>
    takeFlags(
      takeComparison(takeOverrides(takeScenarioPath(yargs), ({ flag }) => flag !== 'base-url'))
        .option('base', {
          type: 'string',
          requiresArg: true,
          demandOption: true,
          describe: 'Baseline URL: the release to compare with',
        })
        .option('head', {
          type: 'string',
          requiresArg: true,
          demandOption: true,
          describe: 'The URL of the release to judge',
        })
        .option('base-agent-id', {
          type: 'string',
          requiresArg: true,
          describe: 'Agent of the base side, if not that of the scenario',
        })
        .option('head-agent-id', {
          type: 'string',
          requiresArg: true,
          describe: 'Agent of the head side, if not that of the scenario',
        }),
      ...(['base-label', 'head-label', 'out', 'quiet', 'dry-run'] as const),
    )
      .default('base-label', 'base')
      .default('head-label', 'head')
      .option('pairs', {
        type: 'number',
        requiresArg: true,
        default: 5,
        describe: 'Number of runs of each, in the order ABBA ABBA AB; pair i has the scenario’s seed + i - 1',
      })
      .option('confirm', {
        type: 'boolean',
        default: false,
        describe: 'After a regression, run the pairs again: only what shows twice fails',
      })
      .option('pause', { type: 'string', requiresArg: true, default: '0s', describe: 'The wait between two runs' })
      .describe('quiet', 'No progress, and no line for each run')
      .epilogue(
        `Keys come from the environment: CHAT_LOAD_API_KEY for both, or ${keyNames.base} and ${keyNames.head}. ` +
          'Exit codes: 0 no regression; 1 a regression, with --fail-on inconclusive also nothing shown, or a reply of the head that broke integrity; ' +
          '2 usage, or the scenario failed; 3 a target is gone or unfit, the key was refused, or a file cannot be written; ' +
          '4 not comparable, as with a run that is not valid; 70 a bug; 129, 130, 143 a signal.',
      )
      .example('$0 ab peak.ts --base http://localhost:80 --head http://localhost:81', 'Five pairs')
      .example(
        '$0 ab peak.ts --base https://a.test --head https://b.test --confirm',
        'Before a release; CHAT_LOAD_ALLOW_HOSTS names both hosts',
      )
      .example('$0 ab peak.ts --base URL --head URL --markdown ab.md --junit ab.xml', 'In a nightly job'),
  handler: async (args) => {
    const options = await readComparison(args);
    const runs = readRuns(args);
    await prepareFolder(args.out);
    const { settle, sides } = await settleSides(args);
    if (args['dry-run']) return showPlans([sides.base, sides.head], args);
    await endWithVerdict(options.format === 'terminal', async () => {
      for (const side of sideNames) await requireReachable(sides[side], `the ${side}`);
      const screen = openScreen(args.quiet);
      const stops = takeSignals((text) => screen.note(text));
      // The line about a run is indented: it is not the overall verdict.
      const ended: ReleasesOptions['ended'] = (run, recorded) => {
        if (!args.quiet || recorded.stop !== undefined)
          stderr.line(runLine(run, recorded, stderr).replace(/^/gm, '  '));
      };
      const releases = { ...runs, settle, ended, screen, stops, watchStrays, judging: options, confirm: args.confirm };
      try {
        await performReleases(options, releases);
      } finally {
        stops.release();
      }
    });
  },
};

/** Runs, compares and prints; the exit code is set. */
async function performReleases(options: ComparisonOptions, releases: ReleasesOptions): Promise<void> {
  const compared = await compareReleases(releases);
  if (compared.kind === 'stopped') return reportStopped(compared.pairs, releases.stops, options);
  const { comparison, violated } = compared;
  for (const { file, result } of violated)
    stderr.line(
      `${stderr.colors.red(`integrity ${printable(result.integrity.verdict.replace('fail', 'FAIL'))}`)} ${printable(file)}`,
    );
  await publishComparison(comparison, options);
  process.exitCode = exitCodeOfComparison(comparison);
}

async function showPlans(sides: readonly Settled[], args: AbArguments): Promise<void> {
  for (const side of sides) await checkSockets(side);
  const runs = `${String(args.pairs)} of ${args['base-label']}, ${String(args.pairs)} of ${args['head-label']}`;
  stdout.note(`${runs}, in turn. Each run, first of ${args['base-label']}, then of ${args['head-label']}:`);
  stdout.line('');
  for (const side of sides) stdout.line(renderPlan(await viewPlan(side), stdout));
}

/** Says what there is when runs were stopped; the exit code is set. */
function reportStopped({ stopped, base }: Pairs, stops: Stops, { format }: ComparisonOptions): void {
  const signal = stops.signal();
  const { code, line } =
    stopped === undefined
      ? { code: signalExitCodes[signal ?? 'SIGINT'], line: failedLine(`stopped by ${signal ?? 'a signal'}`) }
      : concludeRun(stopped, stops);
  stderr.line(
    `Stopped after ${String(base.length)} whole pair${base.length === 1 ? '' : 's'}; every result is kept.` +
      (base.length === 0 ? '' : ' To compare what there is: chat-load compare --base ... --head ... with those files.'),
  );
  if (format === 'terminal') stdout.note(line);
  process.exitCode = signal === undefined ? code : signalExitCodes[signal];
}
