import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { ResultsList, RunUnderWay } from '../../src/report/page/list/list.ts';
import { makeFolder, removeFolders, startCommand, writeScenario } from '../support/command.ts';
import { performCommand } from '../support/command-in-process.ts';
import { folderWith, listable } from '../support/results-folder.ts';

afterAll(removeFolders);

/** Returns the output of a stream once it matches. */
async function said(stream: AsyncIterable<unknown> | null, wanted: RegExp): Promise<string> {
  let text = '';
  for await (const part of stream ?? []) {
    text += String(part);
    const found = wanted.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error(`there is no ${String(wanted)} in: ${text}`);
}

/** The runs that are in progress, as soon as there is one as it is wanted. */
async function runsFrom(address: string, isWanted: (run: RunUnderWay) => boolean): Promise<RunUnderWay> {
  for (;;) {
    const runs = (await (await fetch(`${address}runs`)).json()) as RunUnderWay[];
    const found = runs.find(isWanted);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const scenario = `{
  name: 'seen',
  duration: '4s',
  gracePeriod: '2s',
  load: { concurrency: 2 },
  turns: 3,
  messages: ['Where is my order?'],
  embedded: { latency: '40ms' },
}`;

describe('chat-load ui', () => {
  test('prints its address, follows a run to its live page, lists its result, and ends with 0 on Ctrl-C', async () => {
    const folder = await makeFolder();
    const ui = startCommand(['ui', folder]);
    const address = await said(ui.child.stdout, /results page (\S+)\n/);
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);

    const run = startCommand(['run', await writeScenario(folder, scenario), '--live', '0', '--out', folder]);
    const live = await said(run.child.stderr, /live page (\S+)/);
    const seen = await runsFrom(address, (each) => each.address !== null);
    expect(seen).toMatchObject({ scenario: 'seen', address: live, isSilent: false });
    const kept = (await readdir(folder)).find((name) => name.endsWith('.live')) ?? '';
    if (process.platform !== 'win32') expect((await stat(join(folder, kept))).mode & 0o777).toBe(0o600);
    await run.ended;

    expect((await readdir(folder)).filter((name) => name.endsWith('.live'))).toEqual([]);
    expect(await (await fetch(`${address}runs`)).json()).toEqual([]);
    const { rows } = (await (await fetch(`${address}results`)).json()) as ResultsList;
    expect(rows).toMatchObject([{ scenario: 'seen' }]);

    ui.child.kill('SIGINT');
    expect((await ui.ended).code).toBe(0);
  });

  test('with a port that is in use ends with 3, with a folder that cannot be read with 2', async () => {
    const folder = await folderWith({ 'a.json': listable({}) });
    const ui = startCommand(['ui', folder]);
    const { port } = new URL(await said(ui.child.stdout, /results page (\S+)\n/));
    expect(await performCommand(['ui', folder, '--port', port])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`port ${port}: the port is in use`),
    });
    ui.child.kill('SIGTERM');
    expect((await ui.ended).code).toBe(0);
    expect(await performCommand(['ui', join(folder, 'none')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be read'),
    });
  });

  test.each(['70000', '1.5', '-1'])('rejects port %s', async (port) => {
    const { code, stderr } = await performCommand(['ui', `--port=${port}`]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--port takes a port')]);
  });
});
