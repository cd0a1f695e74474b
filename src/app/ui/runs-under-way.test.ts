import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../test/support/command.ts';
import { writeSyntheticJournal } from '../../../test/support/synthetic-journal.ts';
import { encodeLine } from '../../edge/disk/lines.ts';
import { keepLiveAddress } from '../../edge/disk/live-address.ts';
import { runsUnderWay } from './result-folders.ts';

/** Writes a folder with the first lines of a journal, and further text. */
async function folderWithLines(count: number, rest = ''): Promise<{ folder: string; path: string; lines: string[] }> {
  const { lines } = await writeSyntheticJournal();
  const folder = await makeFolder();
  const path = join(folder, 'synthetic.ndjson');
  await writeFile(
    path,
    lines
      .slice(0, count)
      .map((line) => `${line}\n`)
      .join('') + rest,
  );
  return { folder, path, lines };
}

const address = `http://127.0.0.1:4000/${'t'.repeat(32)}/`;

test('a run whose journal grows is active, with the figures of its last complete line', async () => {
  const { folder } = await folderWithLines(3, '{"sum":"0');
  const [run, ...others] = runsUnderWay([folder], Date.now());
  expect(others).toEqual([]);
  expect(run).toMatchObject({ file: 'synthetic.ndjson', startedAt: '2026-01-31T14:25:30.123Z', isSilent: false });
  expect(run?.state).toMatch(/^2 s.*; \d+ turns?\/s$/);
});

test('a warning or a lost shard after the last second does not hide it', async () => {
  const { folder } = await folderWithLines(3);
  const [plain] = runsUnderWay([folder], Date.now());
  const warning = { code: 'requests_throttled', message: 'm', remedy: null };
  const entry = { kind: 'warning', run: 'run-1', warning };
  const { folder: warned } = await folderWithLines(3, encodeLine(entry).toString().repeat(2));
  expect(runsUnderWay([warned], Date.now())[0]?.state).toBe(plain?.state);
  expect(plain?.state).toMatch(/turns?\/s$/);
});

test('a run that has just started is listed as such', async () => {
  const { folder } = await folderWithLines(1);
  expect(runsUnderWay([folder], Date.now())[0]?.state).toBe('has just started');
});

test('a run whose journal has not grown for a while may have died: the list explains recovery, without a live page', async () => {
  const { folder, path } = await folderWithLines(2);
  await keepLiveAddress(path, address);
  const [run] = runsUnderWay([folder], Date.now() + 60_000);
  expect(run).toMatchObject({ isSilent: true, address: null });
  expect(run?.state).toMatch(
    /^has written nothing for 1m 0\ds\. If it has died: chat-load recover .*synthetic\.ndjson$/,
  );
});

test('an ended run is not active, nor is a file that is not a journal', async () => {
  const { folder, lines, path } = await folderWithLines(2);
  await writeFile(path, `${lines.join('\n')}\n`);
  await writeFile(join(folder, 'other.ndjson'), '{"a":1}\n');
  await writeFile(join(folder, 'empty.ndjson'), '');
  expect(runsUnderWay([folder, join(folder, 'gone')], Date.now())).toEqual([]);
});

test('a run with a result has ended, even if its journal has no end: it was recovered', async () => {
  const { folder } = await folderWithLines(2);
  expect(runsUnderWay([folder], Date.now(), new Set(['another']))).toHaveLength(1);
  expect(runsUnderWay([folder], Date.now(), new Set(['run-1']))).toEqual([]);
});

test('its live page is known if its address is stored', async () => {
  const { folder, path } = await folderWithLines(2);
  await keepLiveAddress(path, address);
  expect(runsUnderWay([folder], Date.now())[0]?.address).toBe(address);
});

test.each(['javascript:alert(1)//', 'http://evil.example:80/', 'http://127.0.0.1:80/short/', `${address}../x`])(
  'an address of another service is not linked: %s',
  async (kept) => {
    const { folder, path } = await folderWithLines(2);
    await keepLiveAddress(path, kept);
    expect(await readFile(join(folder, '.synthetic.ndjson.live'), 'utf8')).toBe(kept);
    expect(runsUnderWay([folder], Date.now())[0]?.address).toBeNull();
  },
);
