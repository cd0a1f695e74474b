import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from './command.ts';
import { unusedPort } from './http-peer.ts';

const isCi = /^(1|true)$/.test(process.env['CI'] ?? '');

/** A real proxy of a test's own, on a free port of loopback. */
export interface RealProxy {
  port: number;
  /** Returns its log so far. */
  log(): Promise<string>;
}

/** Reports whether tests with a program of Debian can run; logs it if they cannot, and fails if they are required. */
export function requireProgram(name: string, debian: string): boolean {
  // Neither has a flag that ends well without a file: that it starts is what counts.
  const isThere = spawnSync(name, ['-v']).error === undefined;
  if (!isThere) console.log(`Not tested with ${name}: it is not here (apt-get install ${debian}).`);
  test.runIf(isCi)(`${name} is there in continuous integration`, () => expect(isThere).toBe(true));
  return isThere;
}

/** `login` is `USER PASSWORD`. */
export async function startTinyproxy({ login }: { login?: string } = {}): Promise<RealProxy> {
  const folder = await makeFolder();
  const port = await unusedPort();
  const lines = [
    `Port ${String(port)}`,
    'Listen 127.0.0.1',
    'Timeout 60',
    'MaxClients 200',
    'Allow 127.0.0.1',
    `LogFile "${join(folder, 'log')}"`,
    'LogLevel Connect',
    ...(login === undefined ? [] : [`BasicAuth ${login}`]),
  ];
  await writeFile(join(folder, 'conf'), `${lines.join('\n')}\n`);
  return startProgram({
    program: 'tinyproxy',
    words: ['-d', '-c', join(folder, 'conf')],
    port,
    log: join(folder, 'log'),
  });
}

/** With `asksForLogin` it accepts only users of the system, whose passwords the tests do not know. */
export async function startDante({ asksForLogin = false } = {}): Promise<RealProxy> {
  const folder = await makeFolder();
  const port = await unusedPort();
  const user = userInfo().username;
  const lines = [
    'logoutput: stderr',
    `internal: 127.0.0.1 port = ${String(port)}`,
    'internal: lo port = 0',
    'external: lo',
    `user.privileged: ${user}`,
    `user.unprivileged: ${user}`,
    'clientmethod: none',
    `socksmethod: ${asksForLogin ? 'username' : 'none'}`,
    'client pass { from: 0.0.0.0/0 to: 0.0.0.0/0 }',
    'socks block { from: 0.0.0.0/0 to: 127.0.0.9/32 }',
    'socks pass { from: 0.0.0.0/0 to: 0.0.0.0/0 log: connect error }',
  ].filter((line) => !line.startsWith('internal: lo'));
  await writeFile(join(folder, 'conf'), `${lines.join('\n')}\n`);
  await chmod(folder, 0o755);
  const words = ['-f', join(folder, 'conf'), '-p', join(folder, 'pid')];
  return startProgram({ program: 'danted', words, port, log: join(folder, 'log') });
}

interface Program {
  program: string;
  words: readonly string[];
  port: number;
  log: string;
}

async function startProgram({ program, words, port, log }: Program): Promise<RealProxy> {
  const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text) => (said += String(text)));
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`${program} does not start: ${said}`);
    await delay(10);
  }
  return { port, log: () => readFile(log, 'utf8') };
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
