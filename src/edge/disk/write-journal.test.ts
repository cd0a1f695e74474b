import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../test/support/command.ts';
import { encodeLine } from './lines.ts';
import { readJournal } from './read-journal.ts';
import { openJournal } from './write-journal.ts';

async function entriesOf(path: string): Promise<unknown[]> {
  const entries: unknown[] = [];
  for await (const line of readJournal(path)) entries.push(line.kind === 'entry' ? line.entry : line.kind);
  return entries;
}

test('entries are in order, the header at once', async () => {
  const path = join(await makeFolder(), 'a.ndjson');
  const journal = await openJournal(path, { header: 'ä \u2028 ✓' });
  expect(await entriesOf(path)).toEqual([{ header: 'ä \u2028 ✓' }]);
  for (let number = 1; number <= 50; number++) journal.add(encodeLine({ number, text: 'x'.repeat(number * 100) }));
  await journal.close();
  const [header, ...entries] = await entriesOf(path);
  expect(header).toEqual({ header: 'ä \u2028 ✓' });
  expect(entries.map((entry) => (entry as { number: number }).number)).toEqual(
    Array.from({ length: 50 }, (_, index) => index + 1),
  );
  await journal.remove();
  expect(existsSync(path)).toBe(false);
  await journal.remove();
});

test('an existing journal is left alone', async () => {
  const folder = await makeFolder();
  const opened = await Promise.all([1, 2, 3].map((run) => openJournal(join(folder, 'a.b.ndjson'), { run })));
  for (const journal of opened) await journal.close();
  expect((await readdir(folder)).sort()).toEqual(['a.b-2.ndjson', 'a.b-3.ndjson', 'a.b.ndjson']);
  const headers = await Promise.all(opened.map(({ path }) => entriesOf(path)));
  expect(headers).toEqual([[{ run: 1 }], [{ run: 2 }], [{ run: 3 }]]);
});

test('a journal that cannot be opened is reported with its path and reason', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, 'file'), '');
  for (const path of [join(folder, 'none', 'a.ndjson'), join(folder, 'file', 'a.ndjson')])
    await expect(openJournal(path, {})).rejects.toMatchObject({
      code: 'environment',
      message: expect.stringContaining(`Cannot write the journal ${path}: `),
    });
});

test('a journal that is removed during the run has failed, and accepts nothing more', async () => {
  const path = join(await makeFolder(), 'a.ndjson');
  const journal = await openJournal(path, {});
  await rm(path);
  journal.add(encodeLine({ number: 1 }));
  expect(await journal.failed).toMatchObject({ code: 'environment', message: expect.stringContaining('was removed') });
  journal.add(encodeLine({ number: 2 }));
  await journal.close();
  expect(existsSync(path)).toBe(false);
});

test('a disk that does not keep up ends it before the lines that wait fill the memory', async () => {
  const path = join(await makeFolder(), 'a.ndjson');
  const journal = await openJournal(path, {});
  // All at once, so that no write can have ended in between.
  for (let number = 1; number <= 20; number++) journal.add(encodeLine({ number, text: 'x'.repeat(1024 * 1024) }));
  expect(await journal.failed).toMatchObject({ message: expect.stringContaining('does not keep up') });
  await journal.close();
  expect((await entriesOf(path)).length).toBeLessThan(17);
});
