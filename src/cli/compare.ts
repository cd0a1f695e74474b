import { ChatLoadError } from '../base/errors.ts';
import type { SideName } from '../compare/document/side.ts';
import { formatShare } from '../report/words/format.ts';
import type { Command } from './command.ts';
import { compareCapacityFiles } from './compare-capacities.ts';
import { readComparison, takeComparison, type ComparisonArguments } from './comparison-options.ts';
import { endWithVerdict } from './end-with-verdict.ts';
import { exitCodeOfComparison, publishComparison } from './publish-comparison.ts';
import { comparedKind } from '../app/compare/compared-kind.ts';
import { performComparison } from '../app/compare/perform-comparison.ts';
import { performSelfTest, type SelfTested } from '../app/compare/perform-self-test.ts';
import type { SideSources } from '../app/compare/read-side.ts';
import { takeFlags } from './flags.ts';
import { stdout } from './terminal.ts';

interface CompareArguments extends ComparisonArguments {
  'base-results'?: string | undefined;
  'head-results'?: string | undefined;
  base?: string[] | undefined;
  head?: string[] | undefined;
  'base-label'?: string | undefined;
  'head-label'?: string | undefined;
  in: string;
  'self-test': boolean;
}

export const compareCommand: Command<CompareArguments> = {
  builder: (yargs) =>
    takeFlags(
      takeComparison(
        yargs
          .positional('base-results', {
            type: 'string',
            describe: 'Results of the baseline release: a file, a folder, a quoted pattern, or label:NAME',
          })
          .positional('head-results', { type: 'string', describe: 'Results of the release to judge' }),
      ),
      'base-label',
      'head-label',
    )
      .option('base', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'More results of the base side',
      })
      .option('head', { type: 'string', array: true, requiresArg: true, describe: 'More results of the head side' })
      .describe('base-label', 'Label of the base side [that of its runs]')
      .option('in', {
        type: 'string',
        requiresArg: true,
        default: 'results',
        describe: 'The folder in which label:NAME is looked up',
      })
      .option('self-test', {
        type: 'boolean',
        default: false,
        describe: 'Compare ten runs or more of one release with themselves: the false-alarm rate here',
      })
      .epilogue(
        'Five runs per side, interleaved in one sitting, show most: chat-load ab runs them. ' +
          'Of capacities, a change is shown where the intervals lie apart. ' +
          'Exit codes: 0 no regression, 1 a regression, 2 usage, 4 the results cannot be compared.',
      )
      .example('$0 compare results/v1 results/v2', 'Two folders of results')
      .example('$0 compare label:v1.4 label:v1.5', 'By the label of the runs, in results/')
      .example('$0 compare --base results/peak-*-a.json --head results/peak-*-b.json', 'Files, as the shell lists them')
      .example('$0 compare peak-capacity-v1.json peak-capacity-v2.json', 'Two capacities: do they lie apart?')
      .example('$0 compare results/v1 --self-test', 'Ten runs of one build: are five per cent of alarms false here?')
      .example('$0 compare a.json b.json --markdown report.md --junit compare.xml', 'For a pull request and for CI'),
  handler: async (args) => {
    const options = await readComparison(args);
    if (args['self-test']) {
      const tested = await performSelfTest(sideOf(args, 'base'), options);
      process.exitCode = printSelfTest(tested);
      return;
    }
    await endWithVerdict(options.format === 'terminal', async () => {
      const sides = { base: sideOf(args, 'base'), head: sideOf(args, 'head') };
      if ((await comparedKind(sides)) === 'capacity') {
        process.exitCode = await compareCapacityFiles(sides, options, args);
        return;
      }
      const comparison = await performComparison(sides, options);
      await publishComparison(comparison, options);
      process.exitCode = exitCodeOfComparison(comparison);
    });
  },
};

const mostFalseAlarms = 0.05;

/** Prints how many comparisons of a release with itself raise an alarm; 1 when more than one in twenty. */
function printSelfTest({ label, runs, runsPerSide, draws, alarms }: SelfTested): number {
  const share = alarms / draws;
  stdout.note(
    `${label}: ${String(runs)} runs split into two sides of ${String(runsPerSide)}, ${String(draws)} times: ` +
      `${String(alarms)} false alarms (${formatShare(share)}; at most 5 % is expected).`,
  );
  return share > mostFalseAlarms ? 1 : 0;
}

const sideOf = (args: CompareArguments, name: SideName): SideSources => ({
  name,
  sources: sourcesOf(args, name),
  label: args[`${name}-label`],
  folder: args.in,
});

function sourcesOf(args: CompareArguments, side: SideName): string[] {
  const first = args[`${side}-results`];
  const sources = [...(first === undefined ? [] : [first]), ...(args[side] ?? [])];
  if (sources.length > 0) return sources;
  throw new ChatLoadError('usage', {
    message: `There is nothing to compare on the ${side} side.`,
    hint: 'Give both sides: chat-load compare BASE HEAD, or --base FILES --head FILES for several files.',
  });
}
