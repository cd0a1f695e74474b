import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { CommandOutput } from '../../app/nightly/perform-night.ts';
import { pathInPackage } from '../../edge/path-in-package.ts';
import { signalExitCodes, type SignalName } from '../../result/exit-code.ts';

/**
 * Runs another chat-load command in a process of its own, with this one's standard input and error, and gives its exit
 * code. Both receive Ctrl-C from the terminal, and the command drains; SIGTERM and SIGHUP are passed on to it.
 */
export async function runSelf(words: readonly string[], output: CommandOutput): Promise<number> {
  const isFile = typeof output === 'number';
  const child = spawn(process.execPath, [pathInPackage('dist/cli/main.js'), ...words], {
    stdio: ['inherit', isFile ? output : 'pipe', 'inherit'],
  });
  if (!isFile && child.stdout !== null) createInterface({ input: child.stdout }).on('line', output);
  const stay = (): void => undefined;
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGINT', stay).on('SIGTERM', passOn).on('SIGHUP', passOn);
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return code ?? (signal !== null && signal in signalExitCodes ? signalExitCodes[signal as SignalName] : killed);
  } finally {
    process.off('SIGINT', stay).off('SIGTERM', passOn).off('SIGHUP', passOn);
  }
}

/** Another signal ended it, such as that of a machine out of memory: an environment error. */
const killed = 3;
