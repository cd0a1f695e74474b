import { availableParallelism } from 'node:os';
import { ChatLoadError } from '../base/errors.ts';
import { mostProcesses } from '../edge/target/processes/session-owner.ts';

/** Reads `--cores`: a number of processes, or `auto` for as many as this process may use cores. Throws a usage error. */
export function readCores(text: string): number {
  if (text === 'auto') return Math.min(mostProcesses, availableParallelism());
  const cores = /^\d+$/.test(text) ? Number(text) : NaN;
  if (cores >= 1 && cores <= mostProcesses) return cores;
  throw new ChatLoadError('usage', {
    message: `--cores takes a whole number from 1 to ${String(mostProcesses)}, or auto, not '${text}'.`,
    hint: `Give one such as --cores 2; auto is ${String(Math.min(mostProcesses, availableParallelism()))} here.`,
  });
}
