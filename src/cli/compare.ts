import { dirname } from 'node:path';
import { ChatLoadError } from '../base/errors.ts';
import { compareResults } from '../compare/compare-results.ts';
import { selfTestResults } from '../compare/self-test-results.ts';
import type { Side, SideName } from '../compare/document/side.ts';
import { formatShare } from '../report/words/format.ts';
import type { Command } from './command.ts';
import {
  readComparison,
  takeComparison,
  type ComparisonArguments,
  type ComparisonOptions,
} from './comparison-options.ts';
import { endWithVerdict } from './end-with-verdict.ts';
import { exitCodeOfComparison, publishComparison } from './publish-comparison.ts';
import { readHistory } from '../app/compare/read-history.ts';
import { readSide } from '../app/compare/read-side.ts';
import { stdout } from './terminal.ts';
import { toolVersion } from '../edge/tool-version.ts';

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
    takeComparison(
      yargs
        .positional('base-results', {
          type: 'string',
          describe: 'Results of the baseline release: a file, a folder, a quoted pattern, or label:NAME',
        })
        .positional('head-results', { type: 'string', describe: 'Results of the release to judge' }),
    )
      .option('base', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'More results of the base side: any number of files',
      })
      .option('head', { type: 'string', array: true, requiresArg: true, describe: 'More results of the head side' })
      .option('base-label', {
        type: 'string',
        requiresArg: true,
        describe: 'Label of the base side [that of its runs]',
      })
      .option('head-label', { type: 'string', requiresArg: true, describe: 'Label of the head side' })
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
          'Exit codes: 0 no regression, 1 a regression, 2 usage, 4 the results cannot be compared.',
      )
      .example('$0 compare results/v1 results/v2', 'Two folders of results')
      .example('$0 compare label:v1.4 label:v1.5', 'By the label of the runs, in results/')
      .example('$0 compare --base results/peak-*-a.json --head results/peak-*-b.json', 'Files, as the shell lists them')
      .example('$0 compare results/v1 --self-test', 'Ten runs of one build: are five per cent of alarms false here?')
      .example('$0 compare a.json b.json --markdown report.md --junit compare.xml', 'For a pull request and for CI'),
  handler: async (args) => {
    const options = await readComparison(args);
    if (args['self-test']) {
      process.exitCode = await performSelfTest(args, options);
      return;
    }
    await endWithVerdict(options.format === 'terminal', () => performComparison(args, options));
  },
};

async function performComparison(args: CompareArguments, options: ComparisonOptions): Promise<void> {
  const sides = { base: sourcesOf(args, 'base'), head: sourcesOf(args, 'head') };
  const read = (name: SideName): Promise<Side> =>
    readSide({ name, sources: sides[name], label: args[`${name}-label`], folder: args.in });
  const base = await read('base');
  const head = await read('head');
  const comparison = compareResults({
    base,
    head,
    history: await readHistory(options.history, dirname(base.runs[0]?.file ?? '')),
    margins: options.margins,
    q: options.q,
    assumedNoise: options.assumedNoise,
    force: options.force,
    toolVersion,
  });
  await publishComparison(comparison, options);
  process.exitCode = exitCodeOfComparison(comparison, options);
}

const mostFalseAlarms = 0.05;

/** Says how many comparisons of a release with itself raise an alarm; 1 when it is more than one in twenty. */
async function performSelfTest(args: CompareArguments, { q }: { q: number }): Promise<number> {
  const sources = sourcesOf(args, 'base');
  const side = await readSide({ name: 'base', sources, label: args['base-label'], folder: args.in });
  const found = selfTestResults(side, { q });
  if (found === null)
    throw new ChatLoadError('usage', {
      message: `A self-test takes at least ten runs of one release; there ${side.runs.length === 1 ? 'is 1' : `are ${String(side.runs.length)}`}.`,
      hint: 'Make them with chat-load run SCENARIO --repeat 10.',
    });
  const share = found.alarms / found.draws;
  stdout.line(
    `${side.label}: ${String(found.runs)} runs split into two sides of ${String(found.runsPerSide)}, ${String(found.draws)} times: ` +
      `${String(found.alarms)} false alarms (${formatShare(share)}; at most 5 % is expected).`,
  );
  return share > mostFalseAlarms ? 1 : 0;
}

function sourcesOf(args: CompareArguments, side: SideName): string[] {
  const first = args[`${side}-results`];
  const sources = [...(first === undefined ? [] : [first]), ...(args[side] ?? [])];
  if (sources.length > 0) return sources;
  throw new ChatLoadError('usage', {
    message: `There is nothing to compare on the ${side} side.`,
    hint: 'Give both sides: chat-load compare BASE HEAD, or --base FILES --head FILES for several files.',
  });
}
