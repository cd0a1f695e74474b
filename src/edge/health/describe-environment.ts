import { execFile } from 'node:child_process';
import { arch, availableParallelism, cpus, hostname, release, totalmem, type } from 'node:os';
import { promisify } from 'node:util';
import type { Environment } from '../../result/sections/environment.ts';

/** Describes this machine. */
export function describeMachine() {
  return {
    host: hostname(),
    cpuModel: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    os: `${type()} ${release()}`,
    arch: arch(),
    nodeVersion: process.versions.node,
  };
}

/** Describes the machine and the working directory that a run is started in. Takes some tens of milliseconds. */
export async function describeEnvironment(): Promise<Environment> {
  return {
    ...describeMachine(),
    calibrationMs: calibrate(),
    git: await describeGit(),
    workers: null,
    startSkewMs: null,
  };
}

/** A tenth of it is timed, often enough for one undisturbed trial. */
const calibration = { steps: 2_000_000, parts: 10, trials: 8 };

/** Returns the minimum time of a fixed calculation, in milliseconds. */
function calibrate(): number {
  const steps = calibration.steps / calibration.parts;
  const once = (): number => {
    const startedAt = performance.now();
    let value = 1;
    for (let step = 0; step < steps; step++) value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d) + step;
    // The comparison keeps the loop from being optimized away.
    return value === 0.5 ? 0 : performance.now() - startedAt;
  };
  return Math.min(...Array.from({ length: calibration.trials }, once)) * calibration.parts;
}

const run = promisify(execFile);

/** Returns `null` outside a repository, and without git. */
async function describeGit(): Promise<Environment['git']> {
  try {
    const { stdout } = await run('git', ['status', '--porcelain=v2', '--branch'], {
      timeout: 2000,
      maxBuffer: 64 * 1024 * 1024,
    });
    const lines = stdout.split('\n');
    const field = (name: string): string | undefined =>
      lines.find((line) => line.startsWith(`# branch.${name} `))?.split(' ')[2];
    const commit = field('oid');
    if (commit === undefined || commit === '(initial)') return null;
    const branch = field('head') ?? '(detached)';
    const dirty = lines.some((line) => line !== '' && !line.startsWith('#'));
    return { commit, branch: branch === '(detached)' ? null : branch, dirty };
  } catch {
    // The run continues without it: there may be no repository.
    return null;
  }
}
