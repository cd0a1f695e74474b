import { ChatLoadError, messageOf, type ErrorCode } from '../base/errors.ts';

/** What one process lets another one call: functions by name, each with one argument. */
type Callable<Api> = { [Name in keyof Api]: (argument: never) => unknown };

/** The channel to a process that was forked, or to the one that forked this. */
export interface Channel {
  send(message: object): void;
  onMessage(listen: (message: unknown) => void): void;
}

/** The channel to the process that forked this one, whose part it is to obey signals: those of the terminal reach the whole process group. */
export function parentChannel(): Channel {
  // A signal without a listener would end the process.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  return {
    send: (message) => {
      // The parent may be gone already: this process is about to end then.
      process.send?.(message, () => undefined);
    },
    onMessage: (listen) => void process.on('message', listen),
  };
}

type Message =
  | Ready
  | { kind: 'call'; id: number; name: string; argument: unknown }
  | { kind: 'done'; id: number; value: unknown }
  | { kind: 'failed'; id: number; error: CarriedError };

/** Says that a process that was forked listens: what comes before that is lost to it. */
export interface Ready {
  kind: 'ready';
}

interface CarriedError {
  code: ErrorCode | undefined;
  message: string;
  hint: string;
}

export type Caller<Api extends Callable<Api>> = <Name extends keyof Api & string>(
  name: Name,
  argument: Parameters<Api[Name]>[0],
) => Promise<Awaited<ReturnType<Api[Name]>>>;

interface Calls<Theirs extends Callable<Theirs>> {
  call: Caller<Theirs>;
  answer: (ours: object) => void;
}

/**
 * Calls between two processes, in both directions: `call` calls the other end, `answer` says what its calls do here. An
 * error there is thrown here, a `ChatLoadError` as one. The channel's end settles nothing: whoever has the processes ends
 * the waiting.
 */
export function openCalls<Theirs extends Callable<Theirs> = object>(channel: Channel): Calls<Theirs> {
  let api: Table = {};
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let nextId = 0;
  channel.onMessage((received) => {
    const message = received as Message;
    if (message.kind === 'ready') return;
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
      channel.send({ kind: 'call', id, name, argument } satisfies Message);
    });
  return { call, answer: (ours) => void (api = ours as Table) };
}

type Table = Readonly<Record<string, (argument: unknown) => unknown>>;

async function answer(channel: Channel, api: Table, call: Extract<Message, { kind: 'call' }>): Promise<void> {
  try {
    const value = await api[call.name]?.(call.argument);
    channel.send({ kind: 'done', id: call.id, value } satisfies Message);
  } catch (thrown) {
    channel.send({ kind: 'failed', id: call.id, error: carried(thrown) } satisfies Message);
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
