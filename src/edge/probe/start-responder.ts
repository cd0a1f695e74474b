import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ChatLoadError } from '../../base/errors.ts';

export interface Responder {
  baseUrl: URL;
  close(): Promise<void>;
}

/**
 * Starts a process on a free loopback port that answers every turn at once with the same words: against it the
 * generator is the only limit. It ends with this process, however this one ends.
 */
export async function startResponder(): Promise<Responder> {
  const child = fork(processModule(), [], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
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
    close: async () => {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

const unavailable = (): ChatLoadError =>
  new ChatLoadError('environment', {
    message: 'the responder that the generator is measured against did not start',
    hint: 'It needs a process and a free loopback port of this machine.',
  });

/** Node.js cannot run the source as it is: from there (in tests) the built module is started. */
function processModule(): string {
  const isSource = import.meta.url.endsWith('.ts');
  const path = isSource ? '../../../dist/edge/probe/responder-process.js' : './responder-process.js';
  return fileURLToPath(new URL(path, import.meta.url));
}
