import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import { badDays } from '../support/bad-days.ts';
import { makeFolder, readResult, root, runCommand, writeScenario } from '../support/command.ts';
import { openSpoiltService, type Spoiling } from '../support/spoilt-service.ts';

const preload = pathToFileURL(join(root, 'test/preload/tell-peak.mjs')).href;
const sessions = 20;
const concurrency = 4;
const mebibyte = 1 << 20;

const scenario = `{
  name: 'bad day', sessions: ${String(sessions)}, turns: 2, load: { concurrency: ${String(concurrency)} }, retry: 'none',
  variableValues: { greeting: 'Hello' }, integrity: { speak: false, variables: ['greeting'] },
  messages: [({ session, turn }) => turn.number === 1 && session.number % 2 === 1 ? 'bad' : 'good'],
}`;

/** Runs the built command against a service to its own end; `peakBytes` is the most memory that it ever held. */
async function runOn(spoiling: Spoiling): Promise<{ result: Result; peakBytes: number }> {
  const service = await openSpoiltService(spoiling);
  const folder = await makeFolder();
  const path = await writeScenario(folder, scenario);
  const target = ['--base-url', service.baseUrl, '--agent-id', 'a'];
  const env = { CHAT_LOAD_API_KEY: 'sk-bad-days', NODE_OPTIONS: `--import=${preload}` };
  const words = ['run', path, ...target, '--out', folder, '--quiet'];
  const { code, stderr } = await runCommand(words, { env }).finally(() => service.down());
  const goneAt = Date.now();
  const result = await readResult(folder);
  // 4: it says itself that replies of that size keep the generator from its work.
  expect([0, 4]).toContain(code);
  expect([result.run.status, result.books.balanced]).toEqual(['completed', true]);
  // A timer or a socket left behind would hold the process for as long as the timeout, which is 30 s.
  expect(goneAt - Date.parse(result.run.endedAt)).toBeLessThan(15_000);
  return { result, peakBytes: Number(/^peak (\d+) KiB$/m.exec(stderr)?.[1]) * 1024 };
}

/**
 * What a day may cost over a calm one. A body is kept up to its limit of 16 MB, beside the half of it that it grew out
 * of; one that is read to its end is also a text and what the text says.
 */
const days: [name: string, mostBytes: number][] = [
  ['sends 100 MB, as declared', 64 * mebibyte],
  ['sends 100 MB in chunks', 64 * mebibyte + concurrency * 24 * mebibyte],
  ['sends 100 MB up to the close', 64 * mebibyte + concurrency * 24 * mebibyte],
  ['sends 100 MB behind a whole answer', 64 * mebibyte],
  ['sends a header line without end', 64 * mebibyte],
  ['sends headers without end', 64 * mebibyte],
  ['sends interim heads without end', 64 * mebibyte],
  ['sends blank lines without end', 64 * mebibyte],
  ['sends a chunk size without end', 64 * mebibyte],
  ['sends trailers without end', 64 * mebibyte],
  ['nests 100,000 deep in a field of its own', 192 * mebibyte],
  ['sends a reply text of 15 MB', 64 * mebibyte + concurrency * 80 * mebibyte],
];

describe.runIf(process.platform !== 'win32')('the memory of a run against a service that', () => {
  let calmBytes: number;
  beforeAll(async () => void (calmBytes = (await runOn({})).peakBytes), 60_000);

  test.each(days)('%s 10 times stays within its bound', async (name, mostBytes) => {
    const day = badDays.find((each) => each.name === name);
    if (day?.message === undefined) throw new Error(`there is no bad day that ${name}`);
    const { result, peakBytes } = await runOn({ message: day.message });
    expect(result.outcomes.attempts.ok).toBe(day.outcome === 'ok' ? 2 * sessions : sessions);
    expect(peakBytes - calmBytes).toBeLessThan(mostBytes);
  });
});
