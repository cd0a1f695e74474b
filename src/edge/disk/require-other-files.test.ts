import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requireOtherFiles } from './write-result.ts';

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

test('other files are', async () => {
  await requireOtherFiles({ html: join(folder, 'x.html'), junit: join(folder, 'x.xml') }, [input]);
});
