import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Side of a measurement; each has its own core if the system allows it. */
type Side = 'target' | 'generator';

const cores: Readonly<Record<Side, string>> = { target: '1', generator: '0' };

/** True if processes can be pinned: taskset (util-linux) is installed, and there are two cores. */
export const isPinning = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/** Starts a program on the core of its side. */
export function startPinned(
  side: Side,
  [file, ...args]: readonly [string, ...string[]],
  options: SpawnOptions,
): ChildProcess {
  return isPinning ? spawn('taskset', ['-c', cores[side], file, ...args], options) : spawn(file, args, options);
}
