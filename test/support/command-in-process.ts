import picocolors from 'picocolors';
import { main } from '../../src/cli/main.ts';
import { forgetSecrets, shownText, stderr, stdout } from '../../src/cli/console/terminal.ts';
import { printable } from '../../src/base/printable.ts';
import type { Ended } from './command.ts';

/**
 * Runs a command in this process; `shown` is the terminal output, both streams in order. The environment has no variables
 * of chat-load except `env`, relative paths start at `cwd`, and colours show if `env` forces them.
 */
export async function performCommand(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = process.cwd(),
): Promise<Ended & { shown: string }> {
  const restore = [setEnvironment(env), setExitCode(), capture('FORCE_COLOR' in env), setFolder(cwd)] as const;
  try {
    await main(words);
    return { code: Number(process.exitCode ?? 0), ...restore[2].said };
  } finally {
    restore[0]();
    restore[1]();
    restore[2].end();
    restore[3]();
    // The secrets of one test may be ordinary words in another one.
    forgetSecrets();
  }
}

function setEnvironment(env: Readonly<Record<string, string>>): () => void {
  const before = { ...process.env };
  for (const name of Object.keys(before))
    if (name.startsWith('CHAT_LOAD_') || name === 'npm_lifecycle_event') Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
  return () => {
    for (const name of Object.keys(env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, before);
  };
}

function setFolder(cwd: string): () => void {
  const before = process.cwd();
  process.chdir(cwd);
  return () => process.chdir(before);
}

function setExitCode(): () => void {
  const before = process.exitCode;
  process.exitCode = undefined;
  return () => {
    process.exitCode = before;
  };
}

/** Captures output from the streams of chat-load and from the argument parser, which writes on its own. */
function capture(isColored: boolean): { said: { stdout: string; stderr: string; shown: string }; end: () => void } {
  const said = { stdout: '', stderr: '', shown: '' };
  const say = (stream: 'stdout' | 'stderr') => (text: string) => {
    said[stream] += `${text}\n`;
    said.shown += `${text}\n`;
  };
  const ends = [
    ...(
      [
        ['stdout', stdout],
        ['stderr', stderr],
      ] as const
    ).flatMap(([name, stream]) => [
      put(stream, 'isColored', isColored || stream.isColored),
      put(stream, 'colors', isColored ? picocolors.createColors(true) : stream.colors),
      put(stream, 'line', (text) => say(name)(shownText(text, stream.isColored))),
      put(stream, 'note', (text) => say(name)(shownText(printable(text), stream.isColored))),
      put(stream, 'command', (text) => say(name)(printable(text))),
    ]),
    put(console, 'log', say('stdout')),
    put(console, 'error', say('stderr')),
  ];
  return { said, end: () => ends.forEach((end) => end()) };
}

function put<Owner, Name extends keyof Owner>(owner: Owner, name: Name, value: Owner[Name]): () => void {
  const before = owner[name];
  owner[name] = value;
  return () => {
    owner[name] = before;
  };
}
