import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { measureComparison } from './measure-comparison.ts';

/** Measures only the error rates of comparisons: `node --import jiti/register bench/comparison/main.ts`. Exits with 1 if a figure is outside its limits. */
const { comparisons, runs } = await yargs(hideBin(process.argv))
  .option('comparisons', { type: 'number', default: 2000, describe: 'Of each cell' })
  .option('runs', { type: 'number', default: 500, describe: 'In the pool that they are drawn from' })
  .strict()
  .parse();
const report = (text: string): void => void process.stderr.write(`${text}\n`);
const { text, broken } = await measureComparison({ comparisons, runs, report });
process.stdout.write(`${text}\n`);
process.exitCode = broken > 0 ? 1 : 0;
