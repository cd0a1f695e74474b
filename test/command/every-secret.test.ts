import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, writeScenario, type Ended } from '../support/command.ts';
import { openGossiping, type GossipingService } from '../support/gossiping-service.ts';
import { artefactsOf, findLeaks, formsOf } from '../support/leaks.ts';
import { secretCases, type SecretCase } from '../support/secret-cases.ts';

let secret = '';
let count = 0;
/** Another one for each test: a process never forgets one. What a header can carry, with what texts escape. */
beforeEach(() => {
  secret = `s3cr3t-${String(++count)}+/y%41&x.7391-opaque`;
});

const scenario = (target: string): string => `{
  name: 'gossip', sessions: 6, turns: 4, load: { concurrency: 2 }, onFailedTurn: 'continue',
  retry: { maxAttempts: 2, base: '1ms', cap: '1ms' },
  data: { users: [{ token: 'user-a' }, { token: 'user-b' }] },
  messages: ['Hi'], target: { agentId: 'a', ${target} },
  stopWhen: { noSuccess: false },
}`;

interface Prepared {
  folder: string;
  /** The scenario. */
  text: string;
  aim: string[];
  env: Record<string, string>;
  service: GossipingService;
}

async function prepare({ target, flags, environment, service: wanted }: SecretCase): Promise<Prepared> {
  const folder = await makeFolder();
  const service = await openGossiping(wanted?.(secret));
  const { baseUrl } = service;
  const text = scenario(target?.(secret, baseUrl) ?? '');
  await writeScenario(folder, text);
  return {
    folder,
    text,
    aim: ['scenario.mjs', '--base-url', baseUrl, ...((await flags?.(secret, baseUrl)) ?? [])],
    env: { CHAT_LOAD_API_KEY: 'an-ordinary-key', ...environment?.(secret) },
    service,
  };
}

/** Where it is found in what a command left, the scenario aside, which is where it was given. */
async function leaks({ folder }: Prepared, ended: readonly Ended[], { also }: SecretCase): Promise<string[]> {
  const left = { ...(await artefactsOf(folder, ended)), 'scenario.mjs': '' };
  return findLeaks(left, [secret, ...(also?.(secret) ?? [])].flatMap(formsOf));
}

const perform = ({ folder, aim, env }: Prepared, command: string, ...words: string[]): Promise<Ended> =>
  performCommand([command, ...aim, ...words], env, folder);

describe.each(secretCases)('$kind is in nothing that is left', (each) => {
  test('of a run, of its journal, its reports in every format, and its texts', async () => {
    const prepared = await prepare(each);
    const reports = ['html', 'md', 'xml', 'csv'].flatMap((form) => ['--report', `report.${form}`]);
    const words = ['--out', '.', '--keep-journal', '--keep-texts', '--trace', ...reports];
    const ended = [await perform(prepared, 'run', ...words), await perform(prepared, 'run', '--json', '--out', '.')];
    const names = readdirSync(prepared.folder);
    for (const form of ['.html', '.md', '.xml', '.csv', '.ndjson', '.json'])
      expect([form, names.some((name) => name.endsWith(form))]).toEqual([form, true]);
    expect(each.came?.(prepared.service.heads, secret)).not.toBe(false);
    // What it was told is what a reply said: something of that is there.
    expect(ended[0]?.stdout).toContain('400');
    expect(await leaks(prepared, ended, each)).toEqual([]);
  });

  test('of plan, check, and a run on two cores', async () => {
    const prepared = await prepare(each);
    const ended = [
      await perform(prepared, 'plan'),
      await perform(prepared, 'plan', '--json'),
      await perform(prepared, 'check', '--pause', '0s', '--junit', 'check.xml'),
      await perform(prepared, 'run', '--cores', '2', '--out', '.', '--keep-journal', '--keep-texts', '--quiet'),
    ];
    expect(ended.map(({ code }) => code)).not.toContain(70);
    expect(each.came?.(prepared.service.heads, secret)).not.toBe(false);
    expect(await leaks(prepared, ended, each)).toEqual([]);
  });

  test('of what is refused: a scenario with a mistake, an unknown flag, a service that is not there', async () => {
    const prepared = await prepare(each);
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
    expect(await leaks(prepared, ended, each)).toEqual([]);
  });
});
