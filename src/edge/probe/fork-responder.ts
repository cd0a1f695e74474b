import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ChatLoadError } from '../../base/errors.ts';
import { pathInPackage } from '../path-in-package.ts';

export interface Responder {
  baseUrl: URL;
  close(): Promise<void>;
}

/**
 * Starts a responder in a process of its own on a free loopback port, from the module of that name beside this one. It
 * ends with this process, however this one ends.
 */
export async function forkResponder(module: string): Promise<Responder & { child: ChildProcess }> {
  const child = fork(pathInPackage(`dist/edge/probe/${module}.js`), [], {
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
    child,
    baseUrl: new URL(`http://127.0.0.1:${String(port)}`),
    close: async () => {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

const unavailable = (): ChatLoadError =>
  new ChatLoadError('environment', {
    message: 'the responder that the generator is measured against did not start',
    hint: 'It needs a process and a free loopback port on this machine.',
  });
