import { fork } from 'node:child_process';
import type { ShardJob, FromShard, ToShard } from '../../fleet/messages.ts';
import { pathInPackage } from '../path-in-package.ts';

/** Messages to the process of a shard; the job is the first, once. */
export type ToShardProcess =
  | {
      kind: 'play';
      job: ShardJob;
      /** The folder that contains its scenario. */
      folder: string;
      /** Origins that it may load besides loopback and the target of its own scenario. */
      allowHosts: readonly string[];
      /** True if the target of the job is trusted: it is from this machine's own command. */
      trustsTarget: boolean;
      /** Variables for flags that plans do not contain: only from this machine's own command. */
      environment?: Readonly<Record<string, string>>;
    }
  /** Once a second: the parent process is alive. */
  | { kind: 'beat' }
  | ToShard;

/** The process that runs one shard. It ends by itself after the shard, or soon after this process. */
export interface ShardProcess {
  readonly pid: number;
  send(message: ToShardProcess): void;
  /** Called once, before anything is sent. `gone`: its process has ended, with or without notice. */
  listen(listener: { received: (message: FromShard) => void; gone: (reason: string) => void }): void;
  /** Ends it at once. */
  kill(): void;
}

/** Starts the process of a shard: the load gets its own event loop. `environment` is added to this process's. */
export function forkShard(environment: Readonly<Record<string, string>> = {}): ShardProcess {
  const child = fork(pathInPackage('dist/cli/shard-process.js'), [], {
    execArgv: process.execArgv.filter((each) => each.startsWith('--max-') || each.startsWith('--use-')),
    env: { ...withoutRedis(process.env), ...environment },
    // The output of the scenario's functions must not appear in the output of the command.
    stdio: ['ignore', 2, 'inherit', 'ipc'],
  });
  const beats = setInterval(() => child.connected && child.send({ kind: 'beat' }, () => undefined), beatMs);
  child.once('exit', () => clearInterval(beats));
  return {
    pid: child.pid ?? 0,
    send: (message) => {
      // It may have ended a moment ago: `gone` reports it.
      if (child.connected) child.send(message, () => undefined);
    },
    listen: ({ received, gone }) => {
      let isGone = false;
      const leave = (reason: string): void => {
        if (isGone) return;
        isGone = true;
        gone(reason);
      };
      child.on('message', (message) => received(message as FromShard));
      child.on('error', ({ message }) => leave(message));
      child.on('exit', (code, signal) =>
        leave(signal === null ? `its process ended with code ${String(code)}` : `its process was ended by ${signal}`),
      );
    },
    kill: () => child.kill('SIGKILL'),
  };
}

const beatMs = 1000;

/** Code of a scenario runs in that process, so it must not reach the broker. */
const withoutRedis = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('CHAT_LOAD_REDIS_')));
