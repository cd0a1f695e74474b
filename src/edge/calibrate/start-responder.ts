import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ChatLoadError } from '../../base/errors.ts';
import type { Ms } from '../../base/time.ts';
import type { TakenTimes } from '../../result/sections/calibration.ts';
import { pathInPackage } from '../path-in-package.ts';
import type { FromResponder, ToResponder } from './responder-process.ts';

/** Answers every turn with the same text, so that only the generator limits the rate. */
export interface Responder {
  baseUrl: URL;
  /** Begins a new account; from now on replies to turns are delayed by this time, to about a millisecond. */
  hold(holdMs: Ms): Promise<void>;
  /** Returns the times of all exchanges since then: one entry per session, in the order of their creation. */
  account(): Promise<TakenTimes[]>;
  close(): Promise<void>;
}

/**
 * Starts a responder in a separate process, so that its delays are not the generator's, on a free loopback port. It
 * always ends with this process.
 */
export async function startResponder(): Promise<Responder> {
  const child = fork(pathInPackage('dist/edge/calibrate/responder-process.js'), [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const port = await new Promise<number>((resolve, reject) => {
    const fail = (): void => reject(unavailable());
    child.once('message', (message: { port: number }) => {
      child.off('exit', fail);
      resolve(message.port);
    });
    child.once('exit', fail);
    child.once('error', fail);
  });
  return {
    baseUrl: new URL(`http://127.0.0.1:${String(port)}`),
    hold: async (holdMs) => {
      await ask(child, { kind: 'hold', holdMs });
    },
    account: async () => {
      const answer = await ask(child, { kind: 'account' });
      return answer.kind === 'account' ? answer.sessions : [];
    },
    close: async () => {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** Sends one question at a time. */
async function ask(child: ChildProcess, question: ToResponder): Promise<FromResponder> {
  const either = new AbortController();
  const answered = once(child, 'message', either) as Promise<[FromResponder]>;
  const ended = once(child, 'exit', either).then((): never => {
    throw new Error('the responder ended by itself');
  });
  child.send(question);
  const [answer] = await Promise.race([answered, ended]).finally(() => either.abort());
  return answer;
}

const unavailable = (): ChatLoadError =>
  new ChatLoadError('environment', {
    message: 'the responder that measures the generator did not start',
    hint: 'It needs a process and a free loopback port on this machine.',
  });
