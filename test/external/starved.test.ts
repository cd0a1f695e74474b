import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import { runVirtually } from '../support/virtual-run.ts';
import { makeFolder, readResult, runCommand, type Ended } from '../support/command.ts';

/** Runs a scenario with preceding functions. */
async function runWith(functions: string, scenario: string, env = {}): Promise<{ ended: Ended; result: Result }> {
  const folder = await makeFolder();
  const text = `import { defineScenario } from 'chat-load';\n${functions}\nexport default defineScenario(${scenario});\n`;
  await writeFile(join(folder, 'starved.ts'), text);
  const ended = await runCommand(['run', 'starved.ts', '--out', 'out'], { cwd: folder, env });
  return { ended, result: await readResult(join(folder, 'out')) };
}

const reasonsOf = ({ validity }: Result) => Object.fromEntries(validity.reasons.map((reason) => [reason.code, reason]));

/** A message that blocks the generator's only thread for this time. */
const burner = `function burn(forMs: number): string {
  const until = performance.now() + forMs;
  while (performance.now() < until);
  return 'Hi';
}`;

// Each is a separate process that starves itself, so running them concurrently changes nothing.
describe.concurrent('a deliberately starved generator', () => {
  test('of processor time, reports it with a remedy, and the run is invalid although every session ran', async () => {
    const { ended, result } = await runWith(
      burner,
      `{ name: 'starved', sessions: 60, load: { sessionsPerSecond: 25 }, messages: [() => burn(100)],
         embedded: { latency: '1ms' } }`,
    );
    expect(result.books.sessions).toMatchObject({ planned: 60, started: 60, completed: 60, not_started: 0 });
    expect(result.books.balanced).toBe(true);
    expect([result.validity.verdict, ended.code]).toEqual(['invalid', 4]);
    const reasons = reasonsOf(result);
    // Asked for in 2.4 s, a session costs 0.1 s: half of them start a second late and more.
    expect(reasons['sessions_late']?.severity).toBe('invalid');
    expect(reasons).toHaveProperty('turns_late');
    expect(Object.keys(reasons).join()).toMatch(/figures_doubtful|event_loop_(late|busy)/);
    // Other processes may have used the CPU: then the event loop was busy.
    for (const code of ['sessions_late', 'turns_late', 'figures_doubtful', 'event_loop_late', 'event_loop_busy']) {
      expect(reasons[code]?.remedy).toMatch(/--cores|--fleet|idle machine/);
      expect(reasons[code]?.remedy).toMatch(/lower the rate/);
      expect(ended.stdout.replace(/\s+/g, ' ')).toContain(reasons[code]?.message);
    }
  });

  test('of processor time in one peak, reports it, although it was mostly idle', async () => {
    const { result } = await runWith(
      burner,
      `{ name: 'peak of burning', sessions: 400, turns: 1, load: { concurrency: 1 },
         messages: [({ session }) => (session.number > 60 && session.number <= 70 ? burn(250) : 'Hi')],
         embedded: { latency: '10ms' } }`,
    );
    const { generator } = result;
    expect(Object.keys(reasonsOf(result)).join()).toMatch(/figures_doubtful|event_loop_(late|busy)/);
    expect(generator?.eventLoopBusyMax).toBeGreaterThan(0.9);
    expect(generator?.cpuShare).toBeLessThan(0.9);
    expect(Object.keys(reasonsOf(result)).join()).toMatch(/figures_doubtful|event_loop_(late|busy)/);
  });

  test('of memory, reports that its figures are doubtful', async () => {
    const { result } = await runWith(
      `const kept: unknown[] = [];
       function hoard({ turn }: { turn: { number: number } }): string {
         kept[turn.number % 8] = Array.from({ length: 40_000 }, (_, n) => ({ n, text: \`word \${String(n)}\` }));
         return 'Hi';
       }`,
      `{ name: 'hoarding', sessions: 1, turns: 120, thinkTime: '50ms', load: { concurrency: 1 }, messages: [hoard],
         embedded: { latency: '1ms' } }`,
      { NODE_OPTIONS: '--max-semi-space-size=1' },
    );
    // Shorter runs have the reason `too_short` instead.
    expect(result.run.durationMs).toBeGreaterThan(5000);
    const reasons = reasonsOf(result);
    expect(Object.keys(reasons)).toContain('figures_doubtful');
    expect(reasons['figures_doubtful']?.message).toMatch(
      /the generator read replies late: turn\.p50 \(.+\) may be up to/,
    );
  });
});

test('a generator that stalls for a second starts every session, and reports the late ones; otherwise it reports none', async () => {
  const scenario = { sessions: 2000, load: { sessionsPerSecond: 100 } };
  const model = () => ({ afterMs: 20 });
  const starved = await runVirtually(scenario, model, { atMs: 5000, forMs: 1000 });
  expect(starved.result.books.sessions).toMatchObject({ planned: 2000, completed: 2000, not_started: 0 });
  expect(starved.result.books.broken).toEqual([]);
  expect(reasonsOf(starved.result)).toMatchObject({ sessions_late: { severity: 'degraded' } });
  const well = await runVirtually(scenario, model);
  expect(well.result.validity).toEqual({ verdict: 'valid', reasons: [] });
});
