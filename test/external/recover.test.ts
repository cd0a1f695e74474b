import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import { jsonSchemaOf } from '../../docs/json-schema.ts';
import { randomOf } from '../../src/base/random.ts';
import { exitCodeOf } from '../../src/result/exit-code.ts';
import { type Result } from '../../src/result/result.ts';
import { embeddedDefaults, type EmbeddedOptions } from '../../src/scenario/embedded.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, startCommand, writeScenario } from '../support/command.ts';
import { isWhole } from '../support/trials.ts';
import { openWitness, type Witness } from '../support/witness.ts';

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const validate = ajv.compile(jsonSchemaOf('result'));

const concurrency = 6;
/** Two clocks that are read in whole milliseconds. */
const roundingMs = 2;
/** Tolerance for the delay of a busy disk. */
const busyMs = 2500;
const service: EmbeddedOptions = {
  latency: { median: '50ms', sigma: 0.3 },
  faults: [{ kind: 'internal_error', share: 0.05 }],
};
const scenario = `{ name: 'killed', duration: '10m', turns: { min: 2, max: 5 }, load: { concurrency: ${String(concurrency)} },
  thinkTime: '40ms', warmUp: '0s', retry: { maxAttempts: 5, base: '1ms', jitter: 'none' },
  variableValues: { customerName: 'Ada', orderNumber: 4 }, messages: ['Hello', 'And now?'] }`;

interface Killed {
  witness: Witness;
  folder: string;
}

/** Starts a run and kills it this long after its first message. */
async function runAndKill(witness: Witness, afterMs: number): Promise<Killed> {
  const folder = await makeFolder();
  await writeScenario(folder, scenario);
  const around = { cwd: folder, env: { CHAT_LOAD_API_KEY: embeddedDefaults.apiKey } };
  const target = ['--base-url', witness.baseUrl, '--agent-id', embeddedDefaults.agentId];
  const { child, ended } = startCommand(['run', 'scenario.mjs', '--out', 'out', '--quiet', ...target], around);
  await Promise.race([witness.begun, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  await pass(afterMs);
  child.kill('SIGKILL');
  await ended;
  return { witness, folder };
}

/** Recovers the files of a killed run. */
async function recover({ folder }: Killed): Promise<{ result: Result; code: number | null }> {
  const [journal = ''] = await readdir(join(folder, 'out'));
  const recovery = await performCommand(['recover', join('out', journal), '--quiet'], {}, folder);
  expect(recovery.stderr).toMatch(/^warning The run died: .* from [\d.]+ s on,? is missing\./);
  return { result: await readResult(join(folder, 'out')), code: recovery.code };
}

/** Expects the service to have received everything up to the end of the last journaled interval. */
function expectConfirmed(result: Result, { messages, firstAt }: Witness): void {
  const startedAt = Date.parse(result.run.startedAt);
  let [ok, attempts] = [0, 0];
  for (const interval of result.intervals) {
    ok += interval.turns.ok;
    attempts += interval.attempts.total;
    const endMs = interval.startMs + interval.lengthMs;
    // The load began between the instant in the header and the first request.
    const seen = messages.filter(({ receivedAt }) => receivedAt <= firstAt() + endMs + roundingMs);
    const answered = messages.filter(({ answeredAt = Infinity }) => answeredAt <= startedAt + endMs - roundingMs);
    const isOk = ({ status }: { status: number | undefined }): boolean => status === 200;
    expect(attempts).toBeLessThanOrEqual(seen.length);
    expect(ok).toBeLessThanOrEqual(seen.filter(isOk).length);
    // A reply that the service has given may not have been read yet: one a session at most.
    expect(attempts).toBeGreaterThanOrEqual(answered.length - concurrency);
    expect(ok).toBeGreaterThanOrEqual(answered.filter(isOk).length - concurrency);
  }
  expect([ok, attempts]).toEqual([result.books.turns.ok, result.books.attempts.total]);
}

/** Equations that hold at any instant: begun and unfinished work is in flight, with at most one turn per session. */
function expectBooks({ books }: Result): void {
  const { sessions, turns, attempts } = books;
  const live = sessions.started - sessions.completed - sessions.failed - sessions.create_failed;
  const inFlight = turns.sent - turns.ok - turns.failed;
  const waiting = turns.sent + attempts.retries - attempts.total;
  for (const underWay of [live, inFlight, waiting]) {
    expect(underWay).toBeGreaterThanOrEqual(0);
    expect(underWay).toBeLessThanOrEqual(concurrency);
  }
  expect([books.balanced, books.broken, sessions.cut, turns.aborted]).toEqual([null, [], 0, 0]);
}

const random = randomOf(6);
const instants = Array.from({ length: 10 }, () => Math.round(random() * 6000));

test.each(
  (isWhole ? [instants.slice(0, 5), instants.slice(5)] : [instants.slice(0, 3)]).map((afterMs) => ({ afterMs })),
)(
  'runs that are killed after $afterMs ms yield the messages that the service received in their journaled intervals',
  async ({ afterMs }) => {
    const witnesses: Witness[] = [];
    while (witnesses.length < afterMs.length) witnesses.push(await openWitness(service));
    const runs = await Promise.all(witnesses.map((witness, at) => runAndKill(witness, afterMs[at] ?? 0)));
    let maxOk = 0;
    for (const killed of runs) {
      const { witness } = killed;
      const { result, code } = await recover(killed);
      expect(validate(result) ? [] : validate.errors).toEqual([]);
      expect([result.run.status, result.run.durationMs % 1000]).toEqual(['recovered', 0]);
      expect(code).toBe(exitCodeOf(result));
      expectConfirmed(result, witness);
      expectBooks(result);
      expect(result.books.turns.ok).toBeLessThanOrEqual(witness.stats().turnsStored);
      // The interval in progress is lost, and the one before it, which waits a second for late reports.
      const livedMs = (witness.messages.at(-1)?.receivedAt ?? 0) - Date.parse(result.run.startedAt);
      expect(result.run.durationMs).toBeGreaterThan(livedMs - 2000 - busyMs);
      maxOk = Math.max(maxOk, result.books.turns.ok);
    }
    expect(maxOk).toBeGreaterThan(10);
  },
);

const quick = `{ name: 'quick', sessions: 40, turns: 2, load: { concurrency: 4 }, messages: ['Hello'],
  embedded: { latency: { median: '5ms', sigma: 0.1 } } }`;

describe('the journal of a run that has ended', () => {
  let folder: string;
  let journal: string;
  const perform = (...words: string[]) => performCommand(words, {}, folder);
  const run = (...words: string[]) => perform('run', 'scenario.mjs', '--quiet', ...words);
  beforeAll(async () => {
    folder = await makeFolder();
    await writeScenario(folder, quick);
    // A busy machine makes a run invalid, which does not matter here.
    expect([0, 4]).toContain((await run('--out', 'kept', '--keep-journal')).code);
    journal = (await readdir(join(folder, 'kept'))).find((name) => name.endsWith('.ndjson')) ?? '';
  });

  test('is deleted once the result exists', async () => {
    expect([0, 4]).toContain((await run('--out', 'plain')).code);
    expect((await readdir(join(folder, 'plain'))).map((name) => name.split('.').at(-1))).toEqual(['json']);
  });

  test('yields the same result if it is kept', async () => {
    const result = journal.replace('.ndjson', '.json');
    expect(await readdir(join(folder, 'kept'))).toEqual(expect.arrayContaining([result, journal]));
    const { code, stdout, stderr } = await perform('recover', join('kept', journal), '--out', 'recovered', '--json');
    const own = JSON.parse(await readFile(join(folder, 'kept', result), 'utf8')) as Result;
    const recovered = await readResult(join(folder, 'recovered'));
    expect([code, stderr, JSON.parse(stdout)]).toEqual([exitCodeOf(recovered), '', recovered]);
    expect(recovered.warnings).toEqual(own.warnings);
    expect(recovered.run).toEqual({ ...own.run, status: 'recovered' });
    expect(recovered.intervals.filter(({ generator }) => generator !== null)).not.toEqual([]);
    expect({ ...recovered, run: own.run }).toEqual(own);
  });

  test.each([
    ['throttled', [], { code: 'load_throttled' }],
    ['of two processes', ['--cores', '2'], { code: 'policies_apart' }],
  ])('contains the warnings of the run: one %s', async (_, words, warning) => {
    const place = `warned ${warning.code}`;
    // After the first sessions, every message is refused for good.
    const body = `{ name: 'warned', sessions: 900, turns: 1, load: { concurrency: 20 }, messages: ['Hello'], stopWhen: { unusable: false },
      retry: { one: { maxAttempts: 2 }, two: { maxAttempts: 3 } },
      embedded: { latency: '1ms', faults: [{ kind: 'http', status: 404, body: 'gone', window: { from: '100ms' } }] } }`;
    await writeScenario(folder, body, 'warned.mjs');
    await perform('run', 'warned.mjs', '--quiet', '--out', place, '--keep-journal', ...words);
    const own = await readResult(join(folder, place));
    const kept = (await readdir(join(folder, place))).find((name) => name.endsWith('.ndjson')) ?? '';
    await perform('recover', join(place, kept), '--out', join(place, 'recovered'), '--quiet');
    const recovered = await readResult(join(folder, place, 'recovered'));
    expect(own.warnings).toContainEqual(expect.objectContaining(warning));
    expect(recovered.warnings).toEqual(own.warnings);
  });

  test('shows the output of a run, and is left alone with the results', async () => {
    const before = await readFile(join(folder, 'kept', journal), 'utf8');
    const { code, stdout } = await perform('recover', join('kept', journal));
    expect([0, 4]).toContain(code);
    expect(stdout).toMatch(/^quick: recovered after /);
    expect(stdout).toMatch(/\nsessions +40 completed of 40 planned\nturns +80 ok, 0 failed of 80 planned;/);
    expect(stdout).toMatch(
      new RegExp(`\\nresult {4}kept/${journal.replace('.ndjson', '-2.json')}\\n(PASSED|INVALID: ).*\\n$`),
    );
    expect(await readFile(join(folder, 'kept', journal), 'utf8')).toBe(before);
  });

  test('is reported missing if there is none', async () => {
    const { code, stderr } = await perform('recover', 'nowhere.ndjson');
    expect([code, stderr]).toEqual([2, expect.stringContaining('nowhere.ndjson cannot be read')]);
  });
});
