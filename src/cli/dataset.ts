import { formatNames } from '../dataset/formats/formats.ts';
import type { Command } from './command.ts';
import { convert, type ConvertArguments } from './dataset-convert.ts';
import { refuseForeignFlags } from './dataset-flags.ts';
import { takeFlags } from './flags.ts';

interface DatasetArguments extends ConvertArguments {
  part: 'convert' | 'inspect';
  json: boolean;
}

export const datasetCommand: Command<DatasetArguments> = {
  builder: (yargs) =>
    takeFlags(yargs, 'json')
      .positional('part', {
        choices: ['convert', 'inspect'] as const,
        demandOption: true,
        describe: 'convert: write conversations for fromFile(); inspect: show what is in them',
      })
      .positional('files', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'Files of conversations: JSON, JSON Lines, CSV or Parquet',
      })
      .option('from', {
        choices: formatNames,
        requiresArg: true,
        describe: 'The form of the files; without it, it is recognized',
      })
      .option('to', {
        type: 'string',
        requiresArg: true,
        describe: 'convert: the file to write, JSON Lines; - is standard output',
      })
      .option('redact', {
        type: 'boolean',
        default: false,
        describe: 'convert: replace what looks personal by placeholders such as <mail-1>',
      })
      .option('dedupe', {
        type: 'boolean',
        default: false,
        describe: 'convert: leave out conversations that were there before',
      })
      .option('language', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe:
          'convert: take those alone whose file says that they are in this language, such as en; may be repeated',
      })
      .option('min-turns', {
        type: 'number',
        requiresArg: true,
        describe: 'convert: take those with this many turns or more',
      })
      .option('max-turns', {
        type: 'number',
        requiresArg: true,
        describe: 'convert: take those with this many turns or fewer',
      })
      .option('sample', { type: 'number', requiresArg: true, describe: 'convert: take this many, drawn by the seed' })
      .option('seed', { type: 'number', requiresArg: true, describe: 'convert: of the sample; 1 without it' })
      .describe('json', 'inspect: print only the document, as JSON')
      .epilogue(
        'docs/datasets.md shows every form, and names the licences of known sets. ' +
          'Exit codes: 0 ok, 2 usage or a file that cannot be read, 3 the file cannot be written.',
      )
      .example('$0 dataset inspect talks.json', 'Turns, lengths, languages, duplicates, what looks personal')
      .example('$0 dataset convert talks.json --to talks.jsonl --redact', 'For messages: fromFile("talks.jsonl")')
      .example(
        '$0 dataset convert chats-*.parquet --to en.jsonl --language en',
        'Some of many; --min-turns, --dedupe and --sample choose too',
      ),
  handler: async (args) => {
    refuseForeignFlags(args);
    if (args.part === 'convert') await convert(args);
    else {
      const { inspect } = await import('./dataset-inspect.ts');
      await inspect(args);
    }
  },
};
