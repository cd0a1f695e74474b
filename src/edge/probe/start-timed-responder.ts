import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Ms } from '../../base/time.ts';
import type { TakenTimes } from '../../result/sections/reading-errors.ts';
import { forkResponder, type Responder } from './fork-responder.ts';
import type { FromTimedResponder, ToTimedResponder } from './timed-responder-process.ts';

/** A responder that records how long every exchange took. */
export interface TimedResponder extends Responder {
  /** Begins a new account; from now on replies to turns are delayed by this time, to about a millisecond. */
  hold(holdMs: Ms): Promise<void>;
  /** The account: one entry per session, in the order of their creation. */
  account(): Promise<TakenTimes[]>;
}

/** Starts it in a process of its own, so that its delays are not the generator's. */
export async function startTimedResponder(): Promise<TimedResponder> {
  const { child, ...responder } = await forkResponder('timed-responder-process');
  return {
    ...responder,
    hold: async (holdMs) => {
      await ask(child, { kind: 'hold', holdMs });
    },
    account: async () => {
      const answer = await ask(child, { kind: 'account' });
      return answer.kind === 'account' ? answer.sessions : [];
    },
  };
}

/** One question at a time. */
async function ask(child: ChildProcess, question: ToTimedResponder): Promise<FromTimedResponder> {
  const either = new AbortController();
  const answered = once(child, 'message', either) as Promise<[FromTimedResponder]>;
  const ended = once(child, 'exit', either).then((): never => {
    throw new Error('the responder ended by itself');
  });
  child.send(question);
  const [answer] = await Promise.race([answered, ended]).finally(() => either.abort());
  return answer;
}
