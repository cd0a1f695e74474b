import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, runCommand, startCommand, writeScenario, type Ended } from '../support/command.ts';
import { openEchoing, openFriendly } from '../support/echoing-service.ts';
import { eventually, unusedPort, type Peer } from '../support/http-peer.ts';
import { finishedRun, resultOf } from '../support/synthetic-result.ts';
import { calibratedHere } from '../support/calibrated-here.ts';
import { artefactsOf, findLeaks, formsOf } from '../support/leaks.ts';

/** Every character that some form of text has to escape. Another one for each test, since a process never forgets one. */
let key = '';
let env: { CHAT_LOAD_API_KEY: string };
let keys = 0;
beforeEach(() => {
  key = `sk-${String(++keys)}-S3cr3t+"k\\y/%41<x>&=.7391`;
  env = { CHAT_LOAD_API_KEY: key };
});

const markers = ['MARKER-MESSAGE-2207', 'MARKER-VALUE-9034', 'MARKER-ROW-6611', 'MARKER-REPLY-5518'];

const scenario = `{
  name: 'secrets',
  sessions: 6, turns: 14, load: { concurrency: 2 }, timeout: '5s',
  target: { createSession: {
    path: '/api/developer/chat/sessions?token=' + encodeURIComponent(process.env.CHAT_LOAD_API_KEY ?? ''),
    body: { agentId: '{{agentId}}', token: process.env.CHAT_LOAD_API_KEY },
  } },
  retry: { maxAttempts: 2, base: '1ms', cap: '1ms' }, onFailedTurn: 'continue', stopWhen: { unusable: false },
  data: { rows: [{ name: 'MARKER-ROW-6611' }] },
  variableValues: { who: 'MARKER-VALUE-9034', row: '{{pick rows.name}}' },
  messages: ['MARKER-MESSAGE-2207 {{who}}'],
  checks: { parses: (reply) => JSON.parse(reply) === 1 },
  gates: { 'turns.failedShare': '< 1%' },
}`;

let path = '';
beforeEach(async () => {
  path = await writeScenario(await makeFolder(), scenario);
});

const aim = ({ port }: Peer): string[] => ['--base-url', `http://127.0.0.1:${String(port)}`, '--agent-id', 'a'];

/** Lists the files and outputs that contain the key or a text of the conversation. */
const leaks = async (folder: string, ended: readonly Ended[], texts = markers): Promise<string[]> =>
  findLeaks(await artefactsOf(folder, ended), [...formsOf(key), ...texts]);

describe('the key and the texts are in no output', () => {
  test('of a run, in tables, as JSON and in its files, with the key for a label', async () => {
    const folder = await makeFolder();
    const peer = await openEchoing();
    const shown = await performCommand(['run', path, ...aim(peer), '--label', key, '--out', folder], env, folder);
    const json = await performCommand(['run', path, ...aim(peer), '--json', '--out', folder], env, folder);
    expect(shown.stdout).toContain('malformed');
    expect(shown.stdout).toContain('[API key]');
    expect(json.stdout).toContain('chat-load/result');
    expect(await leaks(folder, [shown, json])).toEqual([]);
  });

  test('of a run that keeps texts: the texts are present, the key is not', async () => {
    const folder = await makeFolder();
    const peer = await openEchoing();
    const words = ['--keep-texts', '--keep-journal', '--out', '.'];
    const ended = [await performCommand(['run', path, ...aim(peer), ...words], env, folder)];
    expect(await leaks(folder, ended, [])).toEqual([]);
    const [said, , , replied] = markers;
    const left = Object.entries(await artefactsOf(folder, ended));
    for (const [name, text] of left.filter(([each]) => each.includes('json')))
      expect([name, text.includes(said ?? ''), text.includes(replied ?? '')]).toEqual([name, true, true]);
    expect(left.length).toBeGreaterThan(2);
  });

  test('of a search of the capacity, in its document, tables and page, with the key for a label', async () => {
    const folder = await makeFolder();
    const peer = await openEchoing();
    const words = ['--objective', 'turns.failedShare < 99%', '--max', '2', '--max-turns', '150', '--label', key];
    const files = ['--report', 'capacity.html', '--report', 'capacity.md', '--out', '.'];
    const ended = await performCommand(['capacity', path, ...aim(peer), ...words, ...files], env, folder);
    expect(Object.keys(await artefactsOf(folder, [ended])).join()).toMatch(/capacity-.*\.json/);
    expect(ended.stdout).toContain('messages');
    expect(await leaks(folder, [ended])).toEqual([]);
  });

  test('of plan, check, try, calibrate, ab and compare', async () => {
    const folder = await makeFolder();
    const peer = await openEchoing();
    const friend = await openFriendly();
    const at = `http://127.0.0.1:${String(friend.port)}`;
    const calibrated = await calibratedHere();
    const run = (...words: string[]): Promise<Ended> => performCommand(words, { ...env, ...calibrated }, folder);
    const ended = [
      await run('check', path, ...aim(peer), '--pause', '0s', '--report', 'check.xml'),
      await run('check', path, ...aim(peer), '--pause', '0s', '--json'),
      await run('try', path, ...aim(peer)),
      await run('calibrate', path, ...aim(friend), '--max-connections', '2', '--step-duration', '100ms', '--json'),
      await run('calibrate', path, ...aim(peer), '--max-connections', '2', '--step-duration', '100ms'),
      await run(...['ab', path, '--base', at, '--head', at, '--agent-id', 'a', '--pairs', '1', '--out', '.']),
    ];
    const results = readdirSync(folder).filter((name) => name.endsWith('.json'));
    expect(results).toHaveLength(2);
    const [base = '', head = ''] = results;
    ended.push(await run('compare', base, head, '--report', 'compare.xml', '--report', 'compare.md', '--force'));
    expect(ended.map(({ code }) => code)).not.toContain(70);
    // check and try print the replies of the agent.
    const [checks, others] = [ended.slice(0, 2), ended.slice(3)];
    expect(await leaks(await makeFolder(), checks, markers.slice(0, 3))).toEqual([]);
    expect(await leaks(await makeFolder(), ended.slice(2, 3), [])).toEqual([]);
    expect(findLeaks({ 'check.xml': await readFile(join(folder, 'check.xml'), 'utf8') }, formsOf(key))).toEqual([]);
    await rm(join(folder, 'check.xml'));
    expect(await leaks(folder, others)).toEqual([]);
    const plan = [await run('plan', path, ...aim(peer)), await run('plan', path, ...aim(peer), '--json')];
    // plan prints the messages.
    expect(await leaks(folder, plan, [])).toEqual([]);
  });

  test('of a killed run, and of its recovered result', async () => {
    const folder = await makeFolder();
    const peer = await openFriendly(20);
    const started = startCommand(['run', path, ...aim(peer), '--sessions', '10000', '--out', folder], {
      cwd: folder,
      env,
    });
    await eventually(() => peer.arrivals.length > 20);
    expect(readCommandLines().filter((line) => formsOf(key).some((form) => line.includes(form)))).toEqual([]);
    const journal = (): string | undefined => readdirSync(folder).find((name) => name.endsWith('.ndjson'));
    await eventually(() => journal() !== undefined && readFileSync(join(folder, journal() ?? '')).length > 2000);
    started.child.kill('SIGKILL');
    const ended = [await started.ended];
    expect(await leaks(folder, ended)).toEqual([]);
    ended.push(await performCommand(['recover', journal() ?? ''], env, folder));
    expect(ended.at(-1)?.stdout).toContain('recovered');
    expect(await leaks(folder, ended)).toEqual([]);
  });
});

/** Command lines of all processes, as every user can read them; empty without /proc. */
const readCommandLines = (): string[] =>
  existsSync('/proc/self/cmdline')
    ? readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map(readCommandLine)
    : [];

function readCommandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    // A process that has ended meanwhile.
    return '';
  }
}

describe('the key is in no error', () => {
  const min = "name: 'x', messages: ['hi'], sessions: 1";
  const broken = (body: string): Promise<string> => makeFolder().then((folder) => writeScenario(folder, body));
  const runAt = async (file: string): Promise<Ended> =>
    runCommand(['run', file, ...aim(await openFriendly()), '--out', await makeFolder()], { env });

  test.each<[string, string, number]>([
    [
      'a function of the scenario that throws it',
      `{ ${min}, messages: [() => { throw new Error(process.env.CHAT_LOAD_API_KEY) }] }`,
      2,
    ],
    ['an unknown field that is called so', `{ ${min}, [process.env.CHAT_LOAD_API_KEY ?? '']: 1 }`, 2],
    ['a module that throws it', '(() => { throw new Error(process.env.CHAT_LOAD_API_KEY) })()', 2],
    [
      'a bug in the report',
      `(Number.prototype.toFixed = () => { throw new Error('a bug ' + process.env.CHAT_LOAD_API_KEY) }, { ${min} })`,
      70,
    ],
    [
      'a timer of the scenario that throws it',
      `(setTimeout(() => { throw new Error('a bug ' + process.env.CHAT_LOAD_API_KEY) }, 0), { ${min} })`,
      2,
    ],
  ])('of %s', async (_, body, code) => {
    const ended = await runAt(await broken(body));
    expect(ended.code).toBe(code);
    expect(findLeaks(await artefactsOf(await makeFolder(), [ended]), formsOf(key))).toEqual([]);
    if (code === 70) expect(ended.stderr).toMatch(/This is a bug in chat-load.*\n.*a bug \[API key\]\n\s+at /);
  });

  test('of a file that contains it and does not parse', async () => {
    const folder = await makeFolder();
    const file = join(folder, 'broken.ts');
    await writeFile(file, `export default { apiKey: ${JSON.stringify(key)} oops };`);
    const ended = await performCommand(['run', file, '--out', folder]);
    expect(ended.code).toBe(2);
    expect(findLeaks(await artefactsOf(await makeFolder(), [ended]), formsOf(key))).toEqual([]);
  });

  test('of a key in the file, which is not sent to an unreachable service', async () => {
    const file = await broken(`{ ${min}, target: { apiKey: ${JSON.stringify(key)} } }`);
    const folder = await makeFolder();
    const nowhere = `http://127.0.0.1:${String(await unusedPort())}`;
    const words = ['run', file, '--base-url', nowhere, '--agent-id', 'a', '--label', key];
    const ended = await performCommand(words, {}, folder);
    expect(ended.code).toBe(3);
    expect(await leaks(folder, [ended])).toEqual([]);
  });
});

test('the key of one command is no secret of the next one in the same process', async () => {
  const words = ['report', 'forgettable.json'];
  const [first, second] = [
    await performCommand(words, { CHAT_LOAD_API_KEY: 'forgettable' }),
    await performCommand(words),
  ];
  expect([first, second].map(({ stderr }) => stderr.includes('forgettable'))).toEqual([false, true]);
});

test('a key in a file of others is not printed, although a report breaks it over lines', async () => {
  const folder = await makeFolder();
  const key = `sk-${'0123456789abcdef'.repeat(8)}`;
  const { run, scenario, target, ...rest } = resultOf(finishedRun({ sessions: 2 }));
  const named = { run: { ...run, label: `of ${key}` }, scenario: { ...scenario, name: `n ${key}` } };
  const result = { ...rest, ...named, target: { ...target, agentId: `a ${key}` } };
  await writeFile(join(folder, 'others.json'), JSON.stringify(result));
  for (const format of ['terminal', 'markdown']) {
    const words = ['report', 'others.json', '--format', format];
    const { code, stdout } = await runCommand(words, { cwd: folder, env: { CHAT_LOAD_API_KEY: key } });
    expect(code).toBe(0);
    expect(stdout.replaceAll('\\', '')).toContain('[API key]');
    expect(stdout.replace(/\s/g, '')).not.toContain('0123456789abcdef0123');
  }
});
