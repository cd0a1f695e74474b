import { dirname, join, relative } from 'node:path';
import { printableJson } from '../base/printable.ts';
import { prepareFolder, writeUnderFreeName } from '../edge/disk/write-result.ts';
import { verdictLine } from '../report/run/verdict-line.ts';
import { exitCodeOf } from '../result/exit-code.ts';
import { resultFileName } from '../result/file-name.ts';
import type { Command } from './command.ts';
import { performRecovery } from '../app/recover.ts';
import { print } from './run.ts';
import { stderr } from './terminal.ts';

interface RecoverArguments {
  journal: string;
  out: string | undefined;
  quiet: boolean;
  json: boolean;
}

export const recoverCommand: Command<RecoverArguments> = {
  builder: (yargs) =>
    yargs
      .positional('journal', {
        type: 'string',
        demandOption: true,
        describe: 'The .ndjson file that the run left in its folder; it is not changed',
      })
      .option('out', {
        type: 'string',
        requiresArg: true,
        describe: 'The folder for the result file; without it, that of the journal',
      })
      .option('quiet', {
        alias: 'q',
        type: 'boolean',
        default: false,
        describe: 'No tables: only failures, what is missing and the result path',
      })
      .option('json', {
        type: 'boolean',
        default: false,
        describe: 'Print only the result document on standard output',
      })
      .epilogue('Exit codes: those of run for what was recovered; 2 if nothing can be, 3 if it cannot be written.')
      .example('$0 recover results/soak-20260131T220000Z.ndjson', 'The result, beside the journal')
      .example('$0 recover soak.ndjson --out results', 'In a folder of your choice'),
  handler: async ({ journal, out = dirname(journal), quiet, json }) => {
    const result = await performRecovery(journal);
    await prepareFolder(out);
    const name = resultFileName({ scenario: result.scenario.name, ...result.run });
    const file = await writeUnderFreeName(join(out, name), `${printableJson(result, 1)}\n`);
    if (quiet || json)
      for (const { code, message } of result.warnings)
        if (code.startsWith('journal_')) stderr.line(`warning ${message}`);
    print({ result, path: relative('.', file) }, { quiet, json }, verdictLine(result));
    process.exitCode = exitCodeOf(result);
  },
};
