import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

/** State of the machine during a measurement. */
export interface Condition {
  name: string;
  /** Number of busy processes per core. */
  busyPerCore: number;
}

export const idle: Condition = { name: 'idle', busyPerCore: 0 };
export const busy: Condition = { name: 'one busy process per core', busyPerCore: 1 };

/** Ends with its parent, also if that was killed. */
const busyLoop = 'for (const parent = process.ppid; process.ppid === parent; ) for (let at = 0; at < 1e8; at++);';

/** Keeps the machine as busy as requested while a function runs; ends only the processes that it started. */
export async function underCondition<Value>({ busyPerCore }: Condition, use: () => Promise<Value>): Promise<Value> {
  const children = Array.from({ length: busyPerCore * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', busyLoop], { stdio: 'ignore' }),
  );
  try {
    await Promise.all(children.map((child) => once(child, 'spawn')));
    return await use();
  } finally {
    await Promise.all(
      children.map(async (child) => {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }),
    );
  }
}
