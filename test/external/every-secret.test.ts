import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { performCommand } from '../support/command-in-process.ts';
import { root, type Ended } from '../support/command.ts';
import { findSecret, newSecret, prepareSecret, type PreparedSecret } from '../support/prepared-secret.ts';
import { secretCases } from '../support/secret-cases.ts';

let secret = '';
beforeEach(() => {
  secret = newSecret();
});

const perform = ({ folder, aim, env }: PreparedSecret, command: string, ...words: string[]): Promise<Ended> =>
  performCommand([command, ...aim, ...words], env, folder);

const preload = pathToFileURL(join(root, 'test/preload/tell-said.mjs')).href;

describe.each(secretCases)('$kind is in no output', (each) => {
  test('of a run, of its journal, its reports in every format, and its texts', async () => {
    const prepared = await prepareSecret(each, secret);
    const reports = ['html', 'md', 'xml', 'csv'].flatMap((form) => ['--report', `report.${form}`]);
    const words = ['--out', '.', '--keep-journal', '--keep-texts', '--trace', ...reports];
    const ended = [await perform(prepared, 'run', ...words), await perform(prepared, 'run', '--json', '--out', '.')];
    const names = readdirSync(prepared.folder);
    for (const form of ['.html', '.md', '.xml', '.csv', '.ndjson', '.json'])
      expect([form, names.some((name) => name.endsWith(form))]).toEqual([form, true]);
    expect(each.came?.(prepared.service.heads, secret)).not.toBe(false);
    // The reply repeats the received secrets: part of it is printed.
    expect(ended[0]?.stdout).toContain('400');
    expect(await findSecret(prepared, ended, { ...each, secret })).toEqual([]);
  });

  test('of plan, check, try, and a run on two cores and its shards', async () => {
    const prepared = await prepareSecret(each, secret);
    const said = join(prepared.folder, 'said.ndjson');
    const told = {
      ...prepared,
      env: { ...prepared.env, NODE_OPTIONS: `--import ${preload}`, CHAT_LOAD_TEST_SAID: said },
    };
    const ended = [
      await perform(prepared, 'plan'),
      await perform(prepared, 'plan', '--json'),
      await perform(prepared, 'check', '--pause', '0s', '--report', 'check.xml'),
      await perform(prepared, 'try'),
      await perform(told, 'run', '--cores', '2', '--out', '.', '--keep-journal', '--keep-texts', '--quiet'),
    ];
    expect(ended.map(({ code }) => code)).not.toContain(70);
    expect(readFileSync(said, 'utf8').match(/"kind":"ended"/g)).toHaveLength(2);
    expect(each.came?.(prepared.service.heads, secret)).not.toBe(false);
    expect(await findSecret(prepared, ended, { ...each, secret })).toEqual([]);
  });

  test('of failed commands: a scenario with a mistake, an unknown flag, an unreachable service', async () => {
    const prepared = await prepareSecret(each, secret);
    const broken = { ...prepared, aim: ['broken.mjs', ...prepared.aim.slice(1)] };
    await writeFile(join(prepared.folder, 'broken.mjs'), `export default ${prepared.text} oops`);
    const ended = [
      await perform(prepared, 'run', '--sessions', 'many'),
      await perform(prepared, 'run', '--unknown-flag'),
      await perform(prepared, 'run', '--base-url', 'http://127.0.0.1:1', '--out', '.'),
      await perform(broken, 'run'),
    ];
    expect(ended.map(({ code }) => code)).not.toContain(0);
    await writeFile(join(prepared.folder, 'broken.mjs'), '');
    expect(await findSecret(prepared, ended, { ...each, secret })).toEqual([]);
  });
});
