import { spawn, type ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { environmentError, messageOf } from '../base/errors.ts';

interface AgentToStart {
  /** The program and its arguments; run without a shell. */
  command: readonly string[];
  folder: string;
  /** Address that it has to listen on. */
  host: string;
  port: number;
  environment: Readonly<Record<string, string>>;
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
  const { command, folder, host, port, environment } = agent;
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
  const close = (): Promise<void> => endGroup(child);
  try {
    await listening(agent, gone);
  } catch (thrown) {
    await close();
    const quoted = printed();
    throw environmentError(
      `cannot start the agent (${command.join(' ')}): ${messageOf(thrown)}${quoted === '' ? '' : `: ${quoted}`}.`,
      'Nothing was sent. target.start runs in the folder of the scenario, without a shell: the program and its arguments are separate strings. The agent has to listen on the port in PORT.',
    );
  }
  return { close };
}

async function listening({ host, port }: AgentToStart, gone: Promise<string>): Promise<void> {
  let reason: string | undefined;
  void gone.then((why) => (reason = why));
  const until = performance.now() + listenWithinMs;
  while (!(await accepts(host, port))) {
    if (reason !== undefined) throw new Error(reason);
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

/** Returns a function with the first line on standard error that names an error, or the last line. */
function lastError({ stderr }: ChildProcess): () => string {
  let [error, last] = ['', ''];
  if (stderr !== null)
    createInterface({ input: stderr }).on('line', (line) => {
      if (line.trim() !== '') last = line.trim();
      if (error === '' && /error/i.test(line)) error = line.trim();
    });
  return () => (error || last).slice(0, 500);
}

const killAfterMs = 2000;

function endGroup(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const kill = setTimeout(() => signalGroup(pid, 'SIGKILL'), killAfterMs);
    child.once('exit', () => {
      clearTimeout(kill);
      resolve();
    });
    signalGroup(pid, 'SIGTERM');
  });
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
