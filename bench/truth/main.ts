import { experiments, runTruth } from './experiments.ts';
import type { TruthRow } from './row.ts';

/**
 * Runs only the experiments, or only those whose names contain the given words: `node --import jiti/register
 * bench/truth/main.ts stall`. Exits with 1 if a figure is outside its limits.
 */
const words = process.argv.slice(2).join(' ');
const show = (value: number): string => value.toFixed(value < 100 ? 3 : 1);

function report({ experiment, figure, unit, verdict, validity, measured, known, allowed }: TruthRow): void {
  const figures = `${show(measured)} ${unit}, known ${show(known)} ±${show(allowed)}`;
  process.stdout.write(`${verdict.padEnd(6)} ${experiment}: ${figure} ${figures} (${validity})\n`);
}

const rows = await runTruth(
  report,
  experiments.filter(({ name }) => name.includes(words)),
);
process.exitCode = rows.some(({ verdict }) => verdict === 'broken') ? 1 : 0;
