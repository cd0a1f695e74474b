import { spawn, type ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { environmentError, messageOf } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { Secrets, environmentSecrets } from '../base/secrets.ts';

interface AgentToStart {
  /** The program and its arguments; run without a shell. */
  command: readonly string[];
  folder: string;
  /** Address that it has to listen on. */
  host: string;
  port: number;
  environment: Readonly<Record<string, string>>;
  /** Redacts secrets in the error that the agent printed. */
  redact?: ((text: string) => string) | undefined;
  /** Ends the wait for the agent. */
  stop?: AbortSignal | undefined;
  /** Called if the agent ends by itself after it listened. */
  onEnd?: ((why: string) => void) | undefined;
}

export interface StartedAgent {
  /** Ends the agent and its child processes. */
  close(): Promise<void>;
}

const listenWithinMs = 30_000;

/**
 * Starts an agent under test, and resolves when it listens. Throws an environment error, with the last error that it
 * printed, if its process ends before, or if it does not listen within 30 s.
 */
export async function startAgent(agent: AgentToStart): Promise<StartedAgent> {
  const { command, folder, host, port, environment, redact = (text: string) => text, onEnd } = agent;
  const [program = '', ...words] = command;
  if (await accepts(host, port))
    throw environmentError(
      `cannot start ${command.join(' ')}: another process listens on ${host}:${String(port)}.`,
      'Nothing was sent. Stop that process, use another port in target.baseUrl (--base-url), or omit target.start.',
    );
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...process.env, ...environment, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
    // A group of its own: signals of the terminal do not reach it, and its child processes end with it.
    detached: true,
  });
  const printed = lastError(child);
  const gone = new Promise<string>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ENOENT' ? `no program '${program}' was found` : messageOf(error)),
    );
    child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? `code ${String(code)}`}`));
  });
  const { pid } = child;
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  let ending: Promise<void> | undefined;
  const close = (): Promise<void> => (ending ??= pid === undefined ? Promise.resolve() : endGroup(pid, hasEnded));
  // Whatever ends this process: no agent survives it.
  const kill = (): void => {
    if (pid !== undefined) signalGroup(pid, 'SIGKILL');
  };
  process.once('exit', kill);
  const quoted = (): string => {
    const text = printable(new Secrets('', environmentSecrets(process.env)).redact(printed())).slice(0, 500);
    return text === '' ? '' : `: ${text}`;
  };
  let hasListened = false;
  void gone.then(async (why) => {
    const isUnasked = hasListened && ending === undefined;
    await close();
    process.off('exit', kill);
    if (isUnasked) onEnd?.(redact(`the agent (${command.join(' ')}): ${why}${quoted()}`));
  });
  try {
    await listening(agent, gone);
  } catch (thrown) {
    await close();
    throw environmentError(
      redact(`cannot start the agent (${command.join(' ')}): ${messageOf(thrown)}${quoted()}.`),
      'Nothing was sent. target.start runs in the folder of the scenario, without a shell: the program and its arguments are separate strings. The agent has to listen on the port in PORT.',
    );
  }
  hasListened = true;
  return { close };
}

async function listening({ host, port, stop }: AgentToStart, gone: Promise<string>): Promise<void> {
  let reason: string | undefined;
  void gone.then((why) => (reason = why));
  const until = performance.now() + listenWithinMs;
  while (!(await accepts(host, port))) {
    if (reason !== undefined) throw new Error(reason);
    if (stop?.aborted === true) throw new Error('stopped before it listened');
    if (performance.now() > until)
      throw new Error(`it did not listen on ${host}:${String(port)} within ${String(listenWithinMs / 1000)} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (reason !== undefined) throw new Error(reason);
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

/** Characters of a line of standard error that are kept. */
const maxLine = 4096;

/** Returns a function with the first line on standard error that names an error, or the last line. */
function lastError({ stderr }: ChildProcess): () => string {
  let [error, last, rest] = ['', '', ''];
  const take = (line: string): void => {
    if (line.trim() !== '') last = line.trim();
    if (error === '' && /error/i.test(line)) error = line.trim();
  };
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = (lines.pop() ?? '').slice(0, maxLine);
    lines.forEach(take);
  });
  return () => {
    take(rest);
    return (error || last).slice(0, maxLine);
  };
}

/** Time for an agent to end, and for its child processes after it. */
const endWithinMs = { agent: 2000, children: 250 } as const;

/** Ends the processes of a group. Each of them may outlive the first one, and ignore SIGTERM. */
async function endGroup(pid: number, hasEnded: () => boolean): Promise<void> {
  const isGone = (): boolean => !signalGroup(pid, 0);
  signalGroup(pid, 'SIGTERM');
  await wait(hasEnded, endWithinMs.agent);
  await wait(isGone, endWithinMs.children);
  signalGroup(pid, 'SIGKILL');
  await wait(isGone, endWithinMs.children);
}

/** Waits until a condition holds, at most for some time. */
async function wait(holds: () => boolean, maxMs: number): Promise<void> {
  const until = performance.now() + maxMs;
  while (!holds() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Sends a signal to a group; returns false if it has ended. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
