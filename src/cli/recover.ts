import { dirname } from 'node:path';
import { verdictLine } from '../report/run/verdict-line.ts';
import { exitCodeOf } from '../result/exit-code.ts';
import type { Command } from './command.ts';
import { recoverTo } from '../app/recover.ts';
import { printRun } from './print-run.ts';
import { takeFlags } from './flags.ts';
import { stderr } from './terminal.ts';

interface RecoverArguments {
  journal: string;
  out: string | undefined;
  quiet: boolean;
  json: boolean;
}

export const recoverCommand: Command<RecoverArguments> = {
  builder: (yargs) =>
    takeFlags(yargs, 'quiet', 'json')
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
      .describe('quiet', 'No tables: only failures, what is missing and the result path')
      .epilogue('Exit codes: those of run for what was recovered; 2 if nothing can be, 3 if it cannot be written.')
      .example('$0 recover results/soak-20260131T220000Z.ndjson', 'The result, beside the journal')
      .example('$0 recover soak.ndjson --out results', 'In a folder of your choice'),
  handler: async ({ journal, out = dirname(journal), quiet, json }) => {
    const recovered = await recoverTo(out, journal);
    const { result } = recovered;
    if (quiet || json)
      for (const { code, message } of result.warnings)
        if (code.startsWith('journal_')) stderr.note(`warning ${message}`);
    await printRun(recovered, { quiet, json }, verdictLine(result));
    process.exitCode = exitCodeOf(result);
  },
};
