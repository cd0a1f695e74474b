import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder, removeFolders, root, runCommand, writeScenario } from '../support/command.ts';

afterAll(removeFolders);

const licenceOf = async (name: string): Promise<string> =>
  (await readFile(join(root, 'node_modules', name, 'LICENSE'), 'utf8')).replaceAll('\r\n', '\n').trim();

test('a report and every built page contain the licences of the code bundled in them, and the package lists all', async () => {
  const [preact, uplot] = [await licenceOf('preact'), await licenceOf('uplot')];
  const built = (name: string): Promise<string> => readFile(join(root, 'dist', name), 'utf8');
  const folder = await makeFolder();
  const body = `{ name: 'x', sessions: 1, turns: 1, messages: ['Hi'], embedded: { latency: '5ms' } }`;
  await runCommand(['run', await writeScenario(folder, body), '--out', join(folder, 'out'), '--quiet']);
  const [name = ''] = await readdir(join(folder, 'out'));
  const { stdout } = await runCommand(['report', join(folder, 'out', name), '--format', 'html']);
  for (const text of [
    stdout,
    await built('page/page.js'),
    await built('page/live.js'),
    await built('THIRD-PARTY-NOTICES'),
  ])
    expect([text.includes(preact), text.includes(uplot)]).toEqual([true, true]);
  expect(await built('THIRD-PARTY-NOTICES')).toContain(await licenceOf('zod'));
  expect(await built('page/ui.js')).toContain(preact);
});
