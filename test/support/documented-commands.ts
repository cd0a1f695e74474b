import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from './command.ts';

/** A command of a page, as its shell started it. */
export interface DocumentedCommand {
  program: string;
  words: readonly string[];
  cwd: string;
  /** Variables that the page sets. */
  env: Readonly<Record<string, string>>;
}

/** Returns the shell lines of a page's code blocks; of a `console` block, only lines with a prompt. */
export function shellScript(page: string): string {
  return [...page.matchAll(/^```(sh|bash|console)\n(.*?)^```/gms)]
    .map(([, kind, text = '']) =>
      kind === 'console' ? text.replace(/^(?!\$ ).*\n/gm, '').replace(/^\$ /gm, '') : text,
    )
    .join('\n');
}

/** Programs that a page may start besides chat-load; each is recorded and not run. */
export const otherPrograms = ['curl', 'docker', 'duckdb', 'huggingface-cli', 'kubectl', 'npm', 'openssl'] as const;

/**
 * Runs a script in bash, which expands variables, quotes, exports and redirections as a reader's shell does. Each program
 * on its PATH records how it was started, and does nothing; any other program is an error.
 */
export async function recordCommands(script: string, cwd: string): Promise<DocumentedCommand[]> {
  const programs = await makeFolder();
  const record = join(programs, 'record');
  await writeFile(record, '');
  const recorder = `#!/bin/bash\n{ printf '%s\\0' "$#" "\${0##*/}" "$PWD" "$@"; /usr/bin/env -0; printf '\\0'; } >> "$RECORD"\n`;
  for (const name of ['npx', 'chat-load', ...otherPrograms]) await makeProgram(join(programs, name), recorder);
  await makeProgram(join(programs, 'mkdir'), '#!/bin/bash\nexec /bin/mkdir "$@"\n');
  const base = { PATH: programs, HOME: cwd, RECORD: record };
  const shell = spawn('/bin/bash', ['--norc', '-e', '-c', script], {
    cwd,
    env: base,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  shell.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const [code] = (await once(shell, 'close')) as [number];
  if (code !== 0) throw new Error(`the shell ended with ${String(code)}: ${complaints}`);
  return readRecord(await readFile(record, 'utf8'));
}

async function makeProgram(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o755);
}

function readRecord(text: string): DocumentedCommand[] {
  const fields = text.split('\0');
  const commands: DocumentedCommand[] = [];
  for (let at = 0; at + 3 < fields.length;) {
    const [count = '', program = '', cwd = ''] = fields.slice(at, at + 3);
    const end = fields.indexOf('', at + 3 + Number(count));
    if (end < 0) throw new Error('the record is damaged: two commands of a pipeline were recorded at the same time');
    const variables = fields.slice(at + 3 + Number(count), end).map((each) => each.split(/=(.*)/s));
    const set = variables.filter(
      ([name = '']) => !['PATH', 'HOME', 'RECORD', 'PWD', 'OLDPWD', 'SHLVL', '_'].includes(name),
    );
    commands.push({
      program,
      cwd,
      words: fields.slice(at + 3, at + 3 + Number(count)),
      env: Object.fromEntries(set.map(([name = '', value = '']) => [name, value])),
    });
    at = end + 1;
  }
  return commands;
}

/** Writes the code blocks of a page that begin with their file name, such as `// talks.ts`. */
export async function writeNamedBlocks(page: string, folder: string): Promise<void> {
  for (const [, text = '', name = ''] of page.matchAll(/^```ts\n(\/\/ ([\w-]+\.ts)\n.*?)^```/gms)) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), text);
  }
}
