import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startPinned } from '../pinned.ts';
import type { FromReplays, ReplayTask } from './replay-process.ts';
import type { StartSeen } from './replay.ts';

/** Replaying workers in a few processes. */
export interface Replays {
  /** Returns the observed starts. */
  start(): StartSeen;
  end(): Promise<void>;
}

const processes = 4;
const entry = fileURLToPath(new URL('replay-process.ts', import.meta.url));

/** Starts replaying workers. Resolves when all wait for a run. */
export async function playReplays(task: ReplayTask): Promise<Replays> {
  const seen: StartSeen[] = [];
  const workers = Math.ceil(task.workers / processes);
  const children = Array.from({ length: processes }, (_, index) => {
    const own: ReplayTask = { ...task, workers: Math.min(workers, task.workers - index * workers) };
    return startPinned('target', [process.execPath, '--import', 'jiti/register', entry, JSON.stringify(own)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  });
  const ended = Promise.all(children.map((child) => once(child, 'exit')));
  const waiting = children.map(
    (child) =>
      new Promise<void>((resolve) =>
        child.on('message', (message: FromReplays) => {
          if (message.kind === 'waiting') resolve();
          else seen.push(message);
        }),
      ),
  );
  const end = async (): Promise<void> => {
    for (const child of children) child.kill();
    await ended;
  };
  const failed = Promise.race(children.map((child) => once(child, 'exit')));
  if (await Promise.race([Promise.all(waiting).then(() => false), failed.then(() => true)])) {
    await end();
    throw new Error('workers that replay could not be started');
  }
  return {
    start: () => {
      const [first] = seen;
      if (first === undefined || seen.length < task.workers) throw new Error('some workers have not started');
      return { at: first.at, receivedAt: Math.max(...seen.map(({ receivedAt }) => receivedAt)) };
    },
    end,
  };
}
