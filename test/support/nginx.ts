import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from './command.ts';
import { unusedPort } from './http-peer.ts';

const hasNginx = spawnSync('nginx', ['-v']).status === 0;
const isCi = /^(1|true)$/.test(process.env['CI'] ?? '');

/** Reports whether tests with a real nginx can run; prints a notice if not, or throws if they are required. */
export function requireNginx(): boolean {
  if (!hasNginx) console.log('Gateways are not tested: there is no nginx here (apt-get install nginx-light).');
  test.runIf(isCi)('nginx is there in continuous integration', () => expect(hasNginx).toBe(true));
  return hasNginx;
}

export interface Nginx {
  port: number;
  /** Reloads the configuration: new processes answer, the old ones complete their requests. */
  reload(): void;
}

/** A real nginx for one test, on a free loopback port; `http` returns the content of its `http { }` for that port. */
export async function startNginx(http: (port: number) => string): Promise<Nginx> {
  const [port, folder] = [await unusedPort(), await makeFolder()];
  await mkdir(join(folder, 'temp'));
  await writeFile(join(folder, 'nginx.conf'), configuration(http(port)));
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' });
  onTestFinished(() => end(child));
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error('nginx does not take its configuration');
    await delay(10);
  }
  return { port, reload: () => void child.kill('SIGHUP') };
}

const configuration = (http: string): string => `
daemon off;
master_process on;
worker_processes 1;
user root;
pid nginx.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path temp/body;
  proxy_temp_path temp/proxy;
  fastcgi_temp_path temp/fastcgi;
  uwsgi_temp_path temp/uwsgi;
  scgi_temp_path temp/scgi;
  ${http}
}
`;

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
