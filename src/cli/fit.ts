import { printable } from '../base/printable.ts';
import { dirname, relative, resolve } from 'node:path';
import { ChatLoadError } from '../base/errors.ts';
import { performFit } from '../app/fit/perform-fit.ts';
import { writeNewFile } from '../edge/disk/write-new-files.ts';
import type { Fit } from '../fit/document/fit.ts';
import { fileOf } from '../report/fit/fit-words.ts';
import { scenarioSource } from '../report/fit/scenario-source.ts';
import type { Command } from './command.ts';
import { readColumns } from './fit-columns.ts';
import { takeFlags } from './flags.ts';
import { documentText, printDocument } from './print-document.ts';
import { readDurationFlag } from './read-duration-flag.ts';
import { stderr, stdout } from './terminal.ts';

interface FitArguments {
  files: string[];
  to?: string | undefined;
  json: boolean;
  seed: number;
  'reply-time': string;
  columns?: string | undefined;
  sort: boolean;
}

export const fitCommand: Command<FitArguments> = {
  builder: (yargs) =>
    takeFlags(yargs, 'json')
      .positional('files', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'A trace, a file of conversations, or one of each',
      })
      .option('to', {
        type: 'string',
        requiresArg: true,
        describe: 'Write the scenario to this new file, and the fit to standard output',
      })
      .option('reply-time', {
        type: 'string',
        default: '0s',
        requiresArg: true,
        describe: 'What a reply took, where the trace does not say: taken off each gap between turns',
      })
      .option('columns', {
        type: 'string',
        requiresArg: true,
        describe: 'Which columns of a trace say what: at=time,session=user,inputTokens=in,outputTokens=out,unit=s',
      })
      .option('sort', {
        type: 'boolean',
        default: false,
        describe: 'Sort a trace whose lines are not in order of time',
      })
      .option('seed', {
        type: 'number',
        default: 1,
        requiresArg: true,
        describe: 'Picks the values that quantiles are read from, where there are more than 20,000',
      })
      .describe('json', 'Print the fit as a document, and no scenario but with --to')
      .example('$0 fit trace.csv', 'A scenario on standard output, the fit beside the data on standard error')
      .example('$0 fit trace.csv --to fitted.ts', 'A scenario in a file')
      .example('$0 fit trace.csv talks.jsonl --to fitted.ts', 'When from a trace, what from conversations')
      .example('$0 fit access.csv --columns at=time,session=user', 'Any CSV or JSON lines')
      .epilogue(
        'No file is overwritten. A poor fit is a warning: load: { trace } replays the trace as it was. ' +
          'Exit codes: 0 fitted, 2 usage or an unreadable input, 3 the scenario cannot be written.',
      ),
  handler: async ({ files, to, json, seed, 'reply-time': replyTime, columns, sort }) => {
    if (!Number.isSafeInteger(seed))
      throw new ChatLoadError('usage', { message: '--seed takes a whole number.', hint: 'Give one such as 1.' });
    if (to !== undefined && !isScenarioFile(to)) throw noScenarioFile(to);
    const fit = await performFit({
      files,
      seed,
      replyTimeMs: readDurationFlag(replyTime, { flag: '--reply-time', example: '2s' }),
      reading: { ...(columns === undefined ? {} : { columns: readColumns(columns) }), sort },
    });
    if (to !== undefined) await writeNewFile({ path: to, text: sourceIn(dirname(to), fit) });
    if (json || to !== undefined) await printDocument(fit, json ? 'json' : 'terminal');
    if (to !== undefined) {
      if (!json) stdout.line(`\nwrote     ${printable(to)}`);
      return;
    }
    if (json) return;
    stderr.line(`${await documentText(fit, 'terminal', { style: stderr })}\n`);
    stdout.line(sourceIn('.', fit).trimEnd());
  },
};

const isScenarioFile = (path: string): boolean => /\.m?[jt]s$/.test(path);

const noScenarioFile = (path: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `--to takes the file of a scenario, not ${path}.`,
    hint: 'Name one that ends in .ts, .mts, .js or .mjs: --to fitted.ts. The fit as a document is what --json prints.',
  });

/** The scenario as a file of this folder: paths in it are relative to that. */
function sourceIn(folder: string, fit: Fit): string {
  const conversations = fileOf(fit, 'conversations');
  return scenarioSource(fit, {
    conversations:
      conversations === undefined ? undefined : relative(resolve(folder), resolve(conversations)).replaceAll('\\', '/'),
  });
}
