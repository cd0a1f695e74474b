// Builds and tests a copy of the package without a feature (`npm run test:removable -- [--quick] [feature ...]`).
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { command } from '../src/cli/parser/command.ts';
import { features } from '../src/features.ts';

const root = resolve(import.meta.dirname, '..');
const folders = readdirSync(join(root, 'src/features'));

/** Tests that `--quick` runs: those of what a feature can contribute to. */
const quickTests = ['test/rules', 'src/cli', 'src/report', 'src/app/compare', 'src/app/ui', 'src/base'];

const words = process.argv.slice(2);
const isQuick = words.includes('--quick');
const named = words.filter((word) => !word.startsWith('--'));
const unknown = named.filter((name) => !folders.includes(name));
if (unknown.length > 0) throw new Error(`No such feature: ${unknown.join(', ')}. Features: ${folders.join(', ')}.`);
for (const name of named.length === 0 ? folders : named) testWithout(name);

function testWithout(name: string): void {
  const copy = mkdtempSync(join(tmpdir(), `chat-load-without-${name}-`));
  try {
    copyWithout(name, copy);
    const step = (title: string, command: string, args: readonly string[]): void => {
      const began = performance.now();
      const { status } = spawnSync(command, args, { cwd: copy, stdio: ['ignore', 'inherit', 'inherit'] });
      if (status !== 0) throw new Error(`Without ${name}: ${title} failed with code ${String(status)}.`);
      process.stdout.write(
        `without ${name}: ${title} passed in ${String(Math.round((performance.now() - began) / 1000))} s\n`,
      );
    };
    step('type check', 'npx', ['tsc', '--noEmit']);
    step('build', 'npm', ['run', 'build', '--silent']);
    step('docs', 'npm', ['run', 'docs', '--silent']);
    checkCommands(name, copy);
    step('scenarios/smoke.ts', 'node', ['dist/cli/main.js', 'run', 'scenarios/smoke.ts', '--quiet']);
    step('tests', 'npx', ['vitest', 'run', '--project', 'unit', ...(isQuick ? quickTests : [])]);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Copies every file of the repository but those of a feature, and removes the feature's row and its exports. */
function copyWithout(name: string, copy: string): void {
  const own = [`src/features/${name}/`, ...filesOutside(name)];
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root })
    .toString('utf8')
    .split('\0')
    .filter((file) => file !== '' && !own.some((each) => (each.endsWith('/') ? file.startsWith(each) : file === each)));
  for (const file of files) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const [page = '', heading] of own.map((each) => each.split('#')))
    if (heading !== undefined) edit(join(copy, page), (text) => withoutSection(text, heading));
  edit(join(copy, 'src/index.ts'), (text) => withoutLines(text, `'./features/${name}/index.ts'`));
  edit(join(copy, 'src/features.ts'), (text) => {
    const [, value = ''] = new RegExp(`import \\{ (\\w+) \\} from './features/${name}/`).exec(text) ?? [];
    return withoutLines(text, `'./features/${name}/`).replace(
      new RegExp(`\\b${value}, |, ${value}\\b|\\b${value}\\b`),
      '',
    );
  });
}

/** Returns the files, folders and sections (`page.md#Heading`) outside its folder that a feature lists in its README. */
function filesOutside(name: string): string[] {
  const readme = readFileSync(join(root, `src/features/${name}/README.md`), 'utf8');
  const [, list = ''] = /^## Outside this folder\n([^]*?)(?=^## |(?![^]))/m.exec(readme) ?? [];
  return [...list.matchAll(/^- `([^`]+)`/gm)].map(([, path = '']) => path);
}

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

function withoutLines(text: string, part: string): string {
  return text
    .split('\n')
    .filter((line) => !line.includes(part))
    .join('\n');
}

/** Removes a section of a page, up to the next heading. */
function withoutSection(text: string, heading: string): string {
  return text
    .split(/^(?=#+ )/m)
    .filter(
      (section) => !/^#+ /.test(section) || section.slice(0, section.indexOf('\n')).replace(/^#+ /, '') !== heading,
    )
    .join('');
}

/** Checks that the help shows nothing of a feature, and that whatever needs it fails with a sentence that names it. */
function checkCommands(name: string, copy: string): void {
  const run = (...args: readonly string[]): { code: number | null; text: string } => {
    const { status, stdout, stderr } = spawnSync('node', ['dist/cli/main.js', ...args], {
      cwd: copy,
      encoding: 'utf8',
    });
    return { code: status, text: stdout + stderr };
  };
  const require = (isTrue: boolean, claim: string, text: string): void => {
    if (!isTrue) throw new Error(`Without ${name}: ${claim}.\n${text}`);
  };
  const { commands, documents = {} } = features.find((each) => each.name === name) ?? {};
  const help = run('--help');
  require(help.code === 0 && !new RegExp(`\\b${name}\\b`).test(help.text), '--help must not show it', help.text);
  for (const [word = ''] of commands?.(command).map((each) => each.command.command.split(' ')) ?? []) {
    const { code, text } = run(word, 'scenarios/smoke.ts');
    require(code === 2 && text.includes(`unknown command '${word}'`), `${word} must be an unknown command`, text);
  }
  for (const kind of Object.keys(documents)) {
    writeFileSync(join(copy, 'document.json'), JSON.stringify({ kind, schemaVersion: 1 }));
    for (const line of [
      ['report', 'document.json'],
      ['compare', 'document.json', 'document.json'],
    ]) {
      const { code, text } = run(...line);
      const noun = kind.slice('chat-load/'.length);
      require(code === 2 &&
        text.includes(`is a ${noun} of chat-load, not a result`), `${line.join(' ')} must name it`, text);
    }
  }
  process.stdout.write(`without ${name}: help, command and documents passed\n`);
}
