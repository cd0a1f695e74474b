import { execFile, execFileSync, spawn } from 'node:child_process';
import { constants, mkdtempSync, symlinkSync, writeFileSync, readFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { makeFolder, root } from '../../../test/support/command.ts';
import { writeUnderFreeName, writeWhole, requireOtherFiles, appendStepSummary } from './write-result.ts';
import { tmpdir } from 'node:os';
import { waitMs } from '../../../test/support/deadline.ts';

const contents = async (folder: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    await Promise.all(
      (await readdir(folder)).sort().map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
    ),
  );

test('a file takes the place of the one before', async () => {
  const folder = await makeFolder();
  await writeWhole(join(folder, 'a.json'), 'first');
  await writeWhole(join(folder, 'a.json'), 'second');
  expect(await contents(folder)).toEqual({ 'a.json': 'second' });
});

test('a result takes a free name, however many there are, and leaves no other files', async () => {
  const folder = await makeFolder();
  const paths = await Promise.all(
    ['1', '2', '3', '4'].map((text) => writeUnderFreeName(join(folder, 'a.b.json'), text)),
  );
  expect(paths.map((path) => path.slice(folder.length + 1)).sort()).toEqual([
    'a.b-2.json',
    'a.b-3.json',
    'a.b-4.json',
    'a.b.json',
  ]);
  expect(Object.values(await contents(folder)).sort()).toEqual(['1', '2', '3', '4']);
});

test('a failure is reported with the path and a remedy, and leaves nothing', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, 'file'), '');
  await expect(writeUnderFreeName(join(folder, 'file', 'a.json'), '')).rejects.toThrow(/Cannot write to .*a\.json/);
  await mkdir(join(folder, 'taken'));
  await expect(writeWhole(join(folder, 'taken'), '')).rejects.toThrow(/Cannot write to .*taken/);
  expect((await readdir(folder)).sort()).toEqual(['file', 'taken']);
});

/** Exits with 9 as soon as it has begun to write. */
const exitsMeanwhile = `
  import { readdirSync } from 'node:fs';
  import { createJiti } from 'jiti';
  const { writeWhole } = await createJiti(import.meta.url).import('./src/edge/disk/write-result.ts');
  const [, folder] = process.argv;
  void writeWhole(folder + '/a.json', 'x'.repeat(5e7));
  const look = () => (readdirSync(folder).some((name) => name.endsWith('.tmp')) ? process.exit(9) : setImmediate(look));
  look();
`;

/** Writes to the given path, and prints the outcome. */
const writesTo = `
  import { createJiti } from 'jiti';
  const { writeWhole } = await createJiti(import.meta.url).import('./src/edge/disk/write-result.ts');
  const [, path] = process.argv;
  console.log(await writeWhole(path, 'a report\\n').then(() => 'written', String));
`;

test('a process that exits while it writes leaves nothing', async () => {
  const folder = await makeFolder();
  const words = ['--input-type=module', '--eval', exitsMeanwhile, folder];
  const code = await new Promise((resolve) => {
    execFile(process.execPath, words, { cwd: root }).once('close', resolve);
  });
  expect([code, await readdir(folder)]).toEqual([9, []]);
});

describe('a pipe of the user', () => {
  async function makePipe(): Promise<string> {
    const pipe = join(await makeFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    return pipe;
  }

  test('without a reader is an error, not an endless wait', async () => {
    const pipe = await makePipe();
    // In a separate process, because opening a pipe may block a thread forever.
    const words = ['--input-type=module', '--eval', writesTo, pipe];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root, timeout: waitMs });
    expect(stdout).toMatch(/Cannot write to .*pipe: no process reads this pipe\./);
  });

  test('takes more than its buffer', async () => {
    const pipe = await makePipe();
    const reader = spawn('wc', ['-c', pipe], { stdio: ['ignore', 'pipe', 'ignore'] });
    const counted = text(reader.stdout);
    const held = await open(pipe, 'w');
    await writeWhole(pipe, 'ä'.repeat(500_000));
    await held.close();
    expect(parseInt(await counted, 10)).toBe(1_000_000);
  });

  test('whose reader exits causes an error, not a crash', async () => {
    const pipe = await makePipe();
    const reader = await open(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const written = expect(writeWhole(pipe, 'x'.repeat(1e6))).rejects.toThrow(/Cannot write to .*pipe/);
    await reader.read(Buffer.alloc(8), 0, 8, null).catch(() => undefined);
    await reader.close();
    await written;
  });
});

test.each(['/dev/null', '/dev/fd/1'])('%s is written to directly', async (path) => {
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', `"$0" "$@" | cat`, process.execPath, '--input-type=module', '--eval', writesTo, path],
    { cwd: root },
  );
  expect(stdout).toBe(path === '/dev/null' ? 'written\n' : 'a report\nwritten\n');
});

const folder = mkdtempSync(join(tmpdir(), 'chat load '));
const input = join(folder, 'a.json');
writeFileSync(input, '{}');
symlinkSync(input, join(folder, 'link.json'));

test.each([
  ['is read', { out: join(folder, '.', 'a.json') }, `--out ${input} would replace a file that is read: ${input}.`],
  ['is read, by a link', { html: join(folder, 'link.json') }, /^--html .*link.json would replace a file that is read/],
  [
    'is written already',
    { html: join(folder, 'x'), junit: undefined, markdown: join(folder, 'x') },
    /^--markdown .* is written by --html\.$/,
  ],
])('a file that %s is not written', async (_, written, message) => {
  await expect(requireOtherFiles(written, [input])).rejects.toMatchObject({
    code: 'usage',
    message: typeof message === 'string' ? message : (expect.stringMatching(message) as string),
  });
});

test('other files are written', async () => {
  await requireOtherFiles({ html: join(folder, 'x.html'), junit: join(folder, 'x.xml') }, [input]);
});

test('a step summary grows by the additions of every command', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'summary-')), 'summary.md');
  expect(await appendStepSummary(() => '# one', path)).toBeUndefined();
  expect(await appendStepSummary(() => '# two', path)).toBeUndefined();
  expect(readFileSync(path, 'utf8')).toBe('# one\n\n# two\n\n');
});

test('a summary that cannot be written is a warning, and without one nothing is rendered', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'summary-'));
  expect(await appendStepSummary(() => '# one', folder)).toMatch(
    /^The step summary .+ cannot be written: it is a folder/,
  );
  const render = (): string => {
    throw new Error('it was rendered');
  };
  expect(await appendStepSummary(render, '')).toBeUndefined();
});

test('a summary that is a pipe is a warning, and blocks no command', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'summary-')), 'summary.md');
  execFileSync('mkfifo', [path]);
  expect(await appendStepSummary(() => '# one', path)).toMatch(
    /^The step summary .+ cannot be written: it is not a file/,
  );
});
