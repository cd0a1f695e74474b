import { dirname } from 'node:path';
import type { CommandModule } from 'yargs';
import { ChatLoadError } from '../base/errors.ts';
import { compareResults } from '../compare/compare-results.ts';
import type { Side, SideName } from '../compare/side.ts';
import { readComparison, takeComparison, type ComparisonArguments } from './comparison-options.ts';
import { exitCodeOfComparison, publishComparison } from './publish-comparison.ts';
import { readHistory } from './read-history.ts';
import { readSide } from './read-side.ts';
import { toolVersion } from './tool-version.ts';

interface CompareArguments extends ComparisonArguments {
  'base-results'?: string | undefined;
  'head-results'?: string | undefined;
  base?: string[] | undefined;
  head?: string[] | undefined;
  'base-label'?: string | undefined;
  'head-label'?: string | undefined;
  in: string;
}

export const compareCommand: CommandModule<object, CompareArguments> = {
  command: 'compare [base-results] [head-results]',
  describe: 'Is this release slower than the last? A verdict from their results',
  builder: (yargs) =>
    takeComparison(
      yargs
        .positional('base-results', {
          type: 'string',
          describe: 'Results of the release as it was: a file, a folder, a quoted pattern, or label:NAME',
        })
        .positional('head-results', { type: 'string', describe: 'Results of the release to judge' }),
    )
      .option('base', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'More of the one side: any number of files',
      })
      .option('head', { type: 'string', array: true, requiresArg: true, describe: 'More of the other side' })
      .option('base-label', { type: 'string', requiresArg: true, describe: 'What the side is called [its label]' })
      .option('head-label', { type: 'string', requiresArg: true, describe: 'The same of the other' })
      .option('in', {
        type: 'string',
        requiresArg: true,
        default: 'results',
        describe: 'Where label:NAME is looked for',
      })
      .epilogue(
        'Five runs a side, interleaved in one sitting, tell most: chat-load ab does that. ' +
          'Exit codes: 0 no regression, 1 a regression, 2 usage, 4 the results cannot be compared.',
      )
      .example('$0 compare results/v1 results/v2', 'Two folders of results')
      .example('$0 compare label:v1.4 label:v1.5', 'By the label of the runs, in results/')
      .example('$0 compare --base results/peak-*-a.json --head results/peak-*-b.json', 'Files, as the shell lists them')
      .example('$0 compare a.json b.json --markdown report.md --junit compare.xml', 'For a pull request and for CI'),
  handler: async (args) => {
    const options = await readComparison(args);
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
      force: options.force,
      toolVersion,
    });
    await publishComparison(comparison, options);
    process.exitCode = exitCodeOfComparison(comparison, options);
  },
};

function sourcesOf(args: CompareArguments, side: SideName): string[] {
  const first = args[`${side}-results`];
  const sources = [...(first === undefined ? [] : [first]), ...(args[side] ?? [])];
  if (sources.length > 0) return sources;
  throw new ChatLoadError('usage', {
    message: `There is nothing to compare on the ${side} side.`,
    hint: 'Give both sides: chat-load compare BASE HEAD, or --base FILES --head FILES where there are more.',
  });
}
