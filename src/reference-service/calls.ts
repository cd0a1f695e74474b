import type { ChildProcess } from 'node:child_process';
import { ChatLoadError, messageOf, type ErrorCode } from '../base/errors.ts';

/** Functions that another process may call, by name, each with one argument. */
type Callable<Api> = { [Name in keyof Api]: (argument: never) => unknown };

/** The channel to a forked process, or to the parent process. */
interface Channel {
  send?(message: object, sent: () => void): boolean;
  on(event: 'message', listen: (message: unknown) => void): unknown;
}

type Message =
  | { kind: 'call'; id: number; name: string; argument: unknown }
  | { kind: 'done'; id: number; value: unknown }
  | { kind: 'failed'; id: number; error: CarriedError };

interface CarriedError {
  code: ErrorCode | undefined;
  message: string;
  hint: string;
}

export type Caller<Api extends Callable<Api>> = <Name extends keyof Api & string>(
  name: Name,
  argument: Parameters<Api[Name]>[0],
) => Promise<Awaited<ReturnType<Api[Name]>>>;

export interface Calls<Theirs extends Callable<Theirs>> {
  call: Caller<Theirs>;
  answer: (ours: object) => void;
}

/**
 * Calls between two processes, in both directions: `call` calls the other end, `answer` sets the functions that the
 * other end calls here. An error of the other end is thrown here, a `ChatLoadError` as such. The end of the channel
 * settles no call: the owner of the processes ends the waiting.
 */
export function openCalls<Theirs extends Callable<Theirs> = object>(channel: Channel): Calls<Theirs> {
  let api: Table = {};
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let nextId = 0;
  channel.on('message', (received) => {
    const message = received as Message;
    if (message.kind === 'call') return void answer(channel, api, message);
    const waiter = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === 'done') waiter?.resolve(message.value as never);
    else waiter?.reject(thrownFrom(message.error));
  });
  const call: Caller<Theirs> = (name, argument) =>
    new Promise((resolve, reject) => {
      const id = nextId++;
      waiting.set(id, { resolve, reject });
      send(channel, { kind: 'call', id, name, argument });
    });
  return { call, answer: (ours) => void (api = ours as Table) };
}

/**
 * Calls from the process that forked this one. That process obeys signals: signals of the terminal reach the whole process
 * group, and one without a listener would end this process.
 */
export function openParentCalls<Theirs extends Callable<Theirs> = object>(): Calls<Theirs> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  return openCalls<Theirs>(process);
}

/** Ends a forked process, which ends when its channel does. */
export function endProcess(child: ChildProcess): Promise<void> {
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

/** Sends a message. Failures are ignored: if the other process has ended, its owner notices the exit. */
function send(channel: Channel, message: Message): void {
  channel.send?.(message, () => undefined);
}

type Table = Readonly<Record<string, (argument: unknown) => unknown>>;

async function answer(channel: Channel, api: Table, { id, name, argument }: Extract<Message, { kind: 'call' }>) {
  try {
    send(channel, { kind: 'done', id, value: await api[name]?.(argument) });
  } catch (thrown) {
    send(channel, { kind: 'failed', id, error: carried(thrown) });
  }
}

const carried = (thrown: unknown): CarriedError =>
  thrown instanceof ChatLoadError
    ? { code: thrown.code, message: thrown.message, hint: thrown.hint }
    : {
        code: undefined,
        message: thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown),
        hint: '',
      };

const thrownFrom = ({ code, message, hint }: CarriedError): Error =>
  code === undefined ? new Error(message) : new ChatLoadError(code, { message, hint });
