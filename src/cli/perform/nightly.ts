import { usageError } from '../../base/errors.ts';
import { performNight, type CommandOutput } from '../../app/nightly/perform-night.ts';
import { stderr, stdout } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { pathInPackage } from '../../edge/path-in-package.ts';
import { signalExitCodes, type SignalName } from '../../result/exit-code.ts';

type NightlyArguments = Given<'nightly'> & Given<'fleet'> & { scenario: string };

export async function nightly({ head, base, ...night }: NightlyArguments): Promise<number> {
  if (head === undefined || head === '')
    throw usageError(
      'missing option: --head URL (or HEAD_URL), the release to judge',
      'To try the job, use --head embedded, the embedded reference service.',
    );
  if (head === 'embedded' && base !== undefined)
    throw usageError(
      'The embedded service cannot run alternately with another release.',
      'Omit --base (BASE_URL), or name the release to judge with --head (HEAD_URL).',
    );
  if (!Number.isInteger(night.runs) || night.runs < 1)
    throw usageError(
      '--runs (RUNS) takes a whole number of at least 1.',
      'Five runs per side are a good start: --runs 5.',
    );
  return performNight(
    { ...night, agentId: night['agent-id'], head, base, load: fleetWords(night) },
    { perform: runSelf, print: (line) => stdout.line(line), warn: (line) => stderr.note(line) },
  );
}

const fleetWords = ({ 'ready-timeout': readyMs, ...args }: Given<'fleet'>): string[] => [
  ...(['cores', 'fleet', 'shards', 'prefix'] as const).flatMap((flag) =>
    args[flag] === undefined ? [] : [`--${flag}=${String(args[flag])}`],
  ),
  ...(readyMs === undefined ? [] : [`--ready-timeout=${String(readyMs)}ms`]),
];

/**
 * Runs another chat-load command in a child process that shares standard input, and returns its exit code. Both
 * receive Ctrl-C from the terminal, and the command drains; SIGTERM and SIGHUP are forwarded.
 */
async function runSelf(
  words: readonly string[],
  output: CommandOutput,
  failed?: (error: string) => void,
): Promise<number> {
  const isFile = typeof output === 'number';
  const child = spawn(process.execPath, [pathInPackage('dist/cli/main.js'), ...words], {
    stdio: ['inherit', isFile ? output : 'pipe', 'pipe'],
  });
  if (!isFile && child.stdout !== null) createInterface({ input: child.stdout }).on('line', output);
  let errors = '';
  if (child.stderr !== null)
    createInterface({ input: child.stderr }).on('line', (said) => {
      // The release to judge is `--base-url` of `run`.
      const line = said.replaceAll('--base-url', '--head');
      stderr.line(line);
      errors = `${errors}${line}\n`.slice(-maxErrors);
    });
  const stay = (): void => undefined;
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGINT', stay).on('SIGTERM', passOn).on('SIGHUP', passOn);
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    // An error line, with the indented lines that list its problems.
    const [, error] = /^error (.+(?:\n {2}.+)*)/m.exec(stripVTControlCharacters(errors)) ?? [];
    if (error !== undefined) failed?.(error.replace(/\n +/, ' ').replaceAll(/\n +/g, '; '));
    return code ?? (signal !== null && signal in signalExitCodes ? signalExitCodes[signal as SignalName] : killed);
  } finally {
    process.off('SIGINT', stay).off('SIGTERM', passOn).off('SIGHUP', passOn);
  }
}

/** Number of characters of standard error that are searched for the cause of a failure. */
const maxErrors = 16_384;

/** Exit code after another signal, such as SIGKILL when memory is exhausted: an environment error. */
const killed = 3;
