import { fork } from 'node:child_process';
import type { ShardJob, FromShard, ToShard } from '../../fleet/messages.ts';
import { pathInPackage } from '../path-in-package.ts';

/** What the process of a shard is sent; the job comes first, once. */
export type ToShardProcess =
  | {
      kind: 'play';
      job: ShardJob;
      /** The folder below which its scenario is. */
      folder: string;
      /** Origins besides loopback and the target of its own scenario that it may load. */
      allowHosts: readonly string[];
      /** Whether the target of the job is taken as it is: it comes from this machine's own command. */
      trustsTarget: boolean;
      /** Variables in the place of flags that no plan holds: from this machine's own command alone. */
      environment?: Readonly<Record<string, string>>;
    }
  /** Once a second: the process that started it is there. */
  | { kind: 'beat' }
  | ToShard;

/** The process that plays one shard. It ends by itself when the shard has ended, or soon after this process has. */
export interface ShardProcess {
  readonly pid: number;
  send(message: ToShardProcess): void;
  /** Called once, before anything is sent. `gone`: its process has ended, with or without having said so. */
  listen(listener: { heard: (message: FromShard) => void; gone: (reason: string) => void }): void;
  /** Ends it at once, whatever it does. */
  kill(): void;
}

/** Starts the process of a shard: the load gets an event loop of its own. `environment` is added to that of this process. */
export function forkShard(environment: Readonly<Record<string, string>> = {}): ShardProcess {
  const child = fork(pathInPackage('dist/cli/shard-process.js'), [], {
    execArgv: process.execArgv.filter((each) => each.startsWith('--max-') || each.startsWith('--use-')),
    env: { ...withoutRedis(process.env), ...environment },
    // What functions of the scenario print must not be in the output of the command.
    stdio: ['ignore', 2, 'inherit', 'ipc'],
  });
  const beats = setInterval(() => child.connected && child.send({ kind: 'beat' }, () => undefined), beatMs);
  child.once('exit', () => clearInterval(beats));
  return {
    pid: child.pid ?? 0,
    send: (message) => {
      // It may have ended a moment ago: `gone` tells.
      if (child.connected) child.send(message, () => undefined);
    },
    listen: ({ heard, gone }) => {
      let isGone = false;
      const leave = (reason: string): void => {
        if (isGone) return;
        isGone = true;
        gone(reason);
      };
      child.on('message', (message) => heard(message as FromShard));
      child.on('error', ({ message }) => leave(message));
      child.on('exit', (code, signal) =>
        leave(signal === null ? `its process ended with code ${String(code)}` : `its process was ended by ${signal}`),
      );
    },
    kill: () => child.kill('SIGKILL'),
  };
}

const beatMs = 1000;

/** Code of a scenario runs there: it has no business with the broker. */
const withoutRedis = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('CHAT_LOAD_REDIS_')));
