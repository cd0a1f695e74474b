import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { ChatLoadError } from '../../base/errors.ts';
import { pathInPackage } from '../../edge/path-in-package.ts';
import { openCalls, type Caller } from '../calls.ts';
import type { SupervisorCalls, WorkerCalls } from './worker.ts';

type Call = Caller<WorkerCalls>;

/** The processes of a service. When one of them ends by itself, all are ended: half a service would be measured wrongly. */
export class WorkerGroup {
  /** Rejects then. */
  readonly failed: Promise<never>;
  readonly #workers: readonly Worker[];
  readonly #calls: readonly ReturnType<typeof openCalls<WorkerCalls>>[];
  readonly #ready: Promise<unknown>;
  #closed: Promise<unknown> | undefined;

  constructor(size: number) {
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({
      exec: pathInPackage('dist/reference-service/processes/worker-process.js'),
      args: [],
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    this.#workers = Array.from({ length: size }, () => cluster.fork());
    this.#ready = Promise.all(this.#workers.map((worker) => once(worker, 'message')));
    this.#calls = this.#workers.map((worker) => openCalls<WorkerCalls>(channelOf(worker)));
    this.failed = this.#watch();
    // Whoever waits for it hears of it; nobody has to.
    this.failed.catch(() => undefined);
  }

  get size(): number {
    return this.#workers.length;
  }

  /** What the processes may ask of this one. */
  answer(api: SupervisorCalls): void {
    for (const { answer } of this.#calls) answer(api);
  }

  /** Asks every process; rejects when one ends meanwhile. */
  async all<Answer>(ask: (call: Call, index: number) => Promise<Answer>): Promise<Answer[]> {
    await Promise.race([this.#ready, this.failed]);
    return Promise.race([Promise.all(this.#calls.map(({ call }, index) => ask(call, index))), this.failed]);
  }

  /** Asks one of them. */
  one<Answer>(index: number, ask: (call: Call) => Promise<Answer>): Promise<Answer | undefined> {
    const calls = this.#calls[index];
    return Promise.race([calls === undefined ? undefined : ask(calls.call), this.failed]);
  }

  /** Ends them all. */
  async close(): Promise<void> {
    this.#closed ??= Promise.all(this.#workers.map(end));
    await this.#closed;
  }

  #watch(): Promise<never> {
    return new Promise((_, reject) => {
      for (const worker of this.#workers)
        worker.process.once('exit', (code, signal) => {
          if (this.#closed !== undefined) return;
          reject(ended(signal ?? `code ${String(code)}`));
          void this.close();
        });
    });
  }
}

const channelOf = (worker: Worker) => ({
  send: (message: object): void => {
    // One that has ended is noticed by its end.
    worker.process.send(message, () => undefined);
  },
  onMessage: (listen: (message: unknown) => void): void => void worker.on('message', listen),
});

const ended = (how: string): ChatLoadError =>
  new ChatLoadError('environment', {
    message: `one of the processes of the service ended by itself (${how}), and with it its sessions`,
    hint: 'Start the service anew; if the system ended it for its memory, lower maxSessions or maxStoredCharacters, or give fewer --cores.',
  });

/** A worker ends when its channel does. */
function end(worker: Worker): Promise<void> {
  const { process: child } = worker;
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const force = setTimeout(() => child.kill('SIGKILL'), 2000);
    child.once('exit', () => {
      clearTimeout(force);
      resolve();
    });
    if (child.connected) child.disconnect();
  });
}
