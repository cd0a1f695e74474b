import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Capacity } from '../../document/capacity.ts';
import { startService } from '../../../../reference-service/start.ts';
import { embeddedDefaults, embeddedOptions, type EmbeddedOptions } from '../../../../scenario/embedded.ts';
import { performCommand } from '../../../../../test/support/command-in-process.ts';
import { isWhole } from '../../../../../test/support/trials.ts';
import { makeFolder, startCommand, writeScenario, type Ended } from '../../../../../test/support/command.ts';

/** A search that would take minutes, by an objective that is far away. */
const asked = ['--objective', 'turn.p95 < 5s', '--max', '8', '--out', 'out'];

const scenarioOf = (more = ''): string => `{
  name: 'ends', sessions: 1, turns: 4, retry: 'none', messages: ['Hi.'], embedded: { latency: '5ms' }, ${more}
}`;

interface Searched extends Ended {
  document: Capacity;
}

async function documentIn(folder: string): Promise<Capacity> {
  const names = await readdir(join(folder, 'out'));
  expect(names).toHaveLength(1);
  return JSON.parse(await readFile(join(folder, 'out', names[0] ?? ''), 'utf8')) as Capacity;
}

async function search(
  scenario: string,
  words: string[] = [],
  key: string = embeddedDefaults.apiKey,
): Promise<Searched> {
  const folder = await makeFolder();
  const path = await writeScenario(folder, scenario);
  const env = { CHAT_LOAD_API_KEY: key };
  const ended = await performCommand(['capacity', path, ...asked, ...words], env, folder);
  return { ...ended, document: await documentIn(folder) };
}

/** Signals a search after its first step that passed, or twice in its first step: again as soon as the first was handled. */
async function signal(scenario: string, name: 'SIGINT' | 'SIGTERM', times: 1 | 2): Promise<Searched> {
  const folder = await makeFolder();
  const path = await writeScenario(folder, scenario);
  const { child, ended } = startCommand(['capacity', path, ...asked], { cwd: folder });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  const seen = (text: RegExp): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => (text.test(said) ? resolve() : undefined);
      child.stderr?.on('data', (data: string) => {
        said += data;
        look();
      });
      look();
    });
  await seen(times === 1 ? /pass \(/ : /\$started/);
  child.kill(name);
  if (times === 2) {
    await seen(/Stopping/);
    child.kill(name);
  }
  return { ...(await ended), document: await documentIn(folder) };
}

const lastLine = ({ stdout }: Ended): string => stdout.trimEnd().split('\n').at(-1) ?? '';

const started = `messages: [() => (process.stderr.write('$started\\n'), 'Hi.')]`;

test('the first signal ends the step and the search, and the findings so far are written', async () => {
  const searched = await signal(scenarioOf(), 'SIGINT', 1);
  expect(searched.code).toBe(130);
  expect(searched.document).toMatchObject({ outcome: 'interrupted', holds: { load: expect.any(Number) as number } });
  expect(searched.document.steps.at(-1)).toMatchObject({ verdict: 'no_evidence' });
  expect(lastLine(searched)).toMatch(/^FAILED: incomplete: a signal ended the search; sustains \d concurrent session/);
});

test('the second signal cuts requests in flight', async () => {
  const searched = await signal(scenarioOf(`timeout: '9m', ${started}, embedded: { latency: '10m' }`), 'SIGTERM', 2);
  expect(searched.code).toBe(143);
  expect(searched.stderr).toContain('Cutting active sessions');
  expect(searched.document).toMatchObject({ outcome: 'interrupted', holds: null, broken: null });
  expect(searched.document.steps).toHaveLength(1);
});

async function serve(options: EmbeddedOptions = {}) {
  const service = await startService(embeddedOptions.parse(options), { host: '127.0.0.1', port: 0 });
  let hasLeft = false;
  const leave = (): void => {
    if (!hasLeft) void service.close();
    hasLeft = true;
  };
  onTestFinished(leave);
  const at = `target: { baseUrl: '${service.baseUrl}', agentId: '${embeddedDefaults.agentId}' }`;
  return { service: { ...service, leave }, at };
}

const remote = (at: string, more = ''): string =>
  `{ name: 'ends', sessions: 1, turns: 4, retry: 'none', messages: ['Hi.'], ${at}, ${more} }`;

test('a rejected key stops the search, and is not reported as overload', async () => {
  const { at } = await serve();
  const searched = await search(remote(at), [], 'another');
  expect(searched.code).toBe(3);
  expect(searched.document).toMatchObject({ outcome: 'stopped', holds: null, broken: null });
  expect(searched.stderr).toContain('401');
  expect(lastLine(searched)).toMatch(/^FAILED: incomplete: the search had to stop/);
});

test('an error of the scenario in the first step is a usage error, with a document that reports it', async () => {
  const searched = await search(scenarioOf(`messages: [() => { throw new Error('no such order'); }]`));
  expect(searched.code).toBe(2);
  expect(searched.document).toMatchObject({ outcome: 'stopped', holds: null });
  expect(searched.document.steps).toMatchObject([{ verdict: 'no_evidence' }]);
  expect(searched.stderr).toContain('no such order');
});

test.runIf(isWhole)('an error of the scenario in a later step keeps the earlier findings', async () => {
  let turns = 0;
  Object.assign(globalThis, { countTurn: () => (turns += 1) });
  const failing = `messages: [() => { if (countTurn() > 4000) throw new Error('no such order'); return 'Hi.'; }]`;
  const searched = await search(scenarioOf(failing));
  expect(searched.code).toBe(2);
  expect(searched.document).toMatchObject({ outcome: 'stopped', holds: { load: expect.any(Number) as number } });
  expect(searched.document.steps.length).toBeGreaterThan(1);
});

// The run's own rule ends it after half a minute.
test.runIf(isWhole)(
  'a target that disappears during the search stops it, and is not reported as overloaded',
  async () => {
    const { service, at } = await serve({ latency: '5ms' });
    let turns = 0;
    Object.assign(globalThis, { countTurn: () => (++turns === 900 ? service.leave() : undefined) });
    const strict = ['--objective', 'turns.failedShare < 1%'];
    const searched = await search(remote(at, `messages: [() => { countTurn(); return 'Hi.'; }]`), strict);
    expect(searched.document.broken).toBeNull();
    // A machine that is too busy for this ends it before.
    if (searched.document.outcome === 'generator_limited') return;
    expect([searched.document.outcome, searched.code]).toEqual(['stopped', 3]);
    expect(searched.document.steps.at(-1)).toMatchObject({ verdict: 'no_evidence' });
    expect(searched.stderr).toMatch(/(cannot|could not) be reached/);
  },
);

test.each([
  ['--max-turns', '600', 'its turn budget is used up'],
  ['--max-duration', '5s', 'the time budget of the search is used up'],
])('%s bounds the whole search', async (flag, value, reason) => {
  const searched = await search(scenarioOf(), [flag, value]);
  expect([searched.document.outcome, searched.code]).toEqual(['bounded', 4]);
  expect(searched.document.warnings.join()).toContain(reason);
  if (flag === '--max-turns') expect(searched.document.spent.turns).toBe(600);
  else expect(searched.document.elapsedMs).toBeLessThan(10_000);
  expect(lastLine(searched)).toMatch(
    flag === '--max-turns'
      ? /^INVALID: incomplete: the time or turn budget ran out/
      : /^INVALID: incomplete: the time budget ran out/,
  );
});
