import { beforeAll, describe, expect, test } from 'vitest';
import type { FinishedClass } from '../../src/protocol/outcome.ts';
import type { Result } from '../../src/result/result.ts';
import { badDays } from '../support/bad-days.ts';
import { makeFolder, readResult, runCommand, writeScenario } from '../support/command.ts';
import { peakOf, reportPeak } from '../support/peak-memory.ts';
import { openSpoiltService, type Spoiling } from '../support/spoilt-service.ts';
import { isWhole } from '../support/trials.ts';

const sessions = 20;
const concurrency = 4;
const mebibyte = 1 << 20;

const scenario = `{
  name: 'bad day', sessions: ${String(sessions)}, turns: 2, load: { concurrency: ${String(concurrency)} }, retry: 'none',
  variableValues: { greeting: 'Hello' }, integrity: { active: false, variables: ['greeting'] },
  messages: [({ session, turn }) => turn.number === 1 && session.number % 2 === 1 ? 'bad' : 'good'],
}`;

/** Runs the built command against a service to its own end; `peakBytes` is its peak memory. */
async function runOn(spoiling: Spoiling): Promise<{ result: Result; peakBytes: number }> {
  const service = await openSpoiltService(spoiling);
  const folder = await makeFolder();
  const path = await writeScenario(folder, scenario);
  const target = ['--base-url', service.baseUrl, '--agent-id', 'a'];
  const env = { CHAT_LOAD_API_KEY: 'sk-bad-days', ...reportPeak };
  const words = ['run', path, ...target, '--out', folder, '--quiet'];
  const { code, stderr } = await runCommand(words, { env }).finally(() => service.down());
  const goneAt = Date.now();
  const result = await readResult(folder);
  // Exit code 4: replies of that size overload the generator, and the result reports it.
  expect([0, 4]).toContain(code);
  expect([result.run.status, result.books.balanced]).toEqual(['completed', true]);
  // A leaked timer or socket would keep the process running for the timeout, which is 30 s.
  expect(goneAt - Date.parse(result.run.endedAt)).toBeLessThan(15_000);
  return { result, peakBytes: peakOf(stderr) * 1024 ** 2 };
}

/**
 * Additional memory over a normal run. A body is kept up to its limit of 16 MB, next to the half-sized buffer that it
 * grew from; a complete one is also decoded to text and parsed.
 */
const bounds: [maxBytes: number, names: readonly string[]][] = [
  [
    64 * mebibyte,
    [
      'sends 100 MB, as declared',
      'sends 100 MB after a complete answer',
      'sends a header line without end',
      'sends headers without end',
      'sends interim heads without end',
      'sends blank lines without end',
      'sends a chunk size without end',
      'sends trailers without end',
    ],
  ],
  [64 * mebibyte + concurrency * 24 * mebibyte, ['sends 100 MB in chunks', 'sends 100 MB up to the close']],
  [192 * mebibyte, ['nests 100,000 deep in an extra field']],
  [64 * mebibyte + concurrency * 80 * mebibyte, ['sends a reply text of 15 MB']],
];

/** Days of one bound share a run, one message each in turn; in the long suite each of them has its own. */
const runs = bounds.flatMap(([maxBytes, names]): [names: readonly string[], maxBytes: number][] =>
  isWhole ? names.map((name) => [[name], maxBytes]) : [[names, maxBytes]],
);

describe.runIf(process.platform !== 'win32')('the memory of a run against a service that', () => {
  let calmBytes: number;
  beforeAll(async () => void (calmBytes = (await runOn({})).peakBytes));

  test.each(runs)('%s, 10 times in all, stays within its bound', async (names, maxBytes) => {
    const days = names.map(dayOf);
    let spoilt = 0;
    const expected: Partial<Record<FinishedClass, number>> = { ok: sessions };
    const { result, peakBytes } = await runOn({
      message: (socket) => {
        const { message, outcome } = days[spoilt++ % days.length] ?? dayOf('');
        // A failed turn ends its session, which would otherwise send one more.
        expected[outcome] = (expected[outcome] ?? 0) + (outcome === 'ok' ? 2 : 1);
        message(socket);
      },
    });
    expect(spoilt).toBe(sessions / 2);
    expect(result.outcomes.attempts).toMatchObject(expected);
    expect(peakBytes - calmBytes).toBeLessThan(maxBytes);
  });
});

function dayOf(name: string) {
  const { message, outcome } = badDays.find((each) => each.name === name) ?? {};
  if (message === undefined || outcome === undefined) throw new Error(`there is no bad day that ${name}`);
  return { message, outcome };
}
