import { renderResult, renderResultMarkdown } from '../../../test/support/render-outline.ts';
import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { finishedRun, resultOf, snapshotOf } from '../../../test/support/synthetic-result.ts';
import { planFor } from '../../../test/support/synthetic-run.ts';
import { witness, type ServiceModel } from '../../../test/support/virtual-run.ts';
import { instant, ms } from '../../base/time.ts';
import { finishedClassNames } from '../../protocol/outcome.ts';
import { formatMs } from '../../base/format.ts';
import type { Result } from '../../result/result.ts';
import type { FigureError } from '../../result/sections/figure-error.ts';

const styleOf = (width: number) => ({ colors: picocolors.createColors(false), width });
const path = 'results/synthetic-20260131T142530Z.json';

/** A minute of 40 turns per second, all ok. */
const steady = (() => {
  const plan = planFor({ duration: '60s', gates: { 'turn.p95': { gate: '< 1ms', confident: true } } });
  const snapshot = snapshotOf(plan, 60_000, (observer) => {
    for (let i = 1; i <= 2400; i++) {
      const [firstSentAt, endedAt] = [instant(i * 25 - 20), instant(i * 25 - 10 + (i % 10))];
      const session = { number: 1, policy: 0, due: firstSentAt, startedAt: firstSentAt };
      const outcome = 'ok' as const;
      observer.turn({
        session,
        turn: 1,
        due: firstSentAt,
        ready: firstSentAt,
        firstSentAt,
        endedAt,
        outcome,
        attempts: 1,
        backoffMs: ms(0),
        gaveUp: undefined,
      });
    }
  });
  return resultOf({ plan, snapshot });
})();
const mixed = resultOf(finishedRun({ gates: { 'turn.p50': '< 1ms' } }));
const [worst = ''] = finishedClassNames
  .filter((name) => name !== 'ok')
  .toSorted((a, b) => mixed.outcomes.attempts[b] - mixed.outcomes.attempts[a]);

describe.each([80, 120])('the first screen of a report at %d columns', (width) => {
  const screen = renderResult(mixed, styleOf(width), { path, verdict: 'FAILED: turn.p50 < 1ms was 90 ms' })
    .split('\n')
    .slice(0, 24)
    .join('\n');

  test('contains the verdict, the key figures, failures with an example, and the result path', () => {
    const { turn } = mixed.latency;
    expect(screen).toMatch(/^synthetic: completed after /);
    expect(screen).toContain('\nFAILED: turn.p50 < 1ms was 90 ms\n');
    for (const [name, value] of [
      ['p50', turn.p50Ms],
      ['p95', turn.p95Ms],
    ] as const)
      expect(screen).toMatch(new RegExp(`^turn ${name} +${formatMs(value)}`, 'm'));
    expect(screen).toMatch(
      new RegExp(`^failures +[\\d,]+ of [\\d,]+ turns, [\\d,]+ of [\\d,]+ attempts: ${worst} \\d`, 'm'),
    );
    expect(screen).toMatch(new RegExp(`^example +${worst}, session \\d+, .+: it was ${worst}$`, 'm'));
    expect(screen).toMatch(new RegExp(`^result +${path}$`, 'm'));
  });
});

describe('a report', () => {
  const text = renderResult(steady, styleOf(80), { path, verdict: 'PASSED' });

  test('shows percentiles with their intervals', () => {
    const { p50Ms, p99Ms, intervals } = steady.latency.turn;
    const { lowMs, highMs } = intervals?.p50Ms ?? { lowMs: NaN, highMs: NaN };
    const [value, low, high] = [p50Ms, lowMs, highMs].map(formatMs);
    expect(text).toMatch(
      new RegExp(`^turn p50 +${String(value)}, ${String(low)} to ${String(high)} \\(95 % interval\\)$`, 'm'),
    );
    // 2,400 turns have a p99, but no interval for it.
    const bound = formatMs(steady.latency.turn.p99AtMaxMs);
    expect(text).toMatch(new RegExp(`^turn p99 +${formatMs(p99Ms)}, at most ${bound} with 99 % confidence$`, 'm'));
  });

  test('adds the measurement error to the lower end of an interval: a figure is never too low', () => {
    const { turn } = steady.latency;
    const errorMs = { ...turn.errorMs, p50Ms: 5 } as FigureError;
    const late = { ...steady, latency: { ...steady.latency, turn: { ...turn, p50Ms: 200, errorMs } } };
    const { lowMs, highMs } = turn.intervals?.p50Ms ?? { lowMs: NaN, highMs: NaN };
    const [low, high] = [lowMs - 5, highMs].map(formatMs);
    expect(renderResult(late, styleOf(80), { path, verdict: 'PASSED' })).toMatch(
      new RegExp(`^turn p50 +200 ms, ${String(low)} to ${String(high)} \\(95 % interval\\)$`, 'm'),
    );
  });

  test('shows the bound that a confident gate was judged by', () => {
    expect(text).toMatch(/^FAIL +turn\.p95 +< 1ms, confident +\d\S* ms, \d\S* ms to \d\S* ms$/m);
  });

  test('lists failed gates first, then gates without data', () => {
    const gates = { 'turns.ok': '>= 1', 'turn.p99.99': '< 1h', 'turn.p50': '< 1ms' };
    const judged = resultOf(finishedRun({ gates }));
    const order = ['turn.p50', 'turn.p99.99', 'turns.ok'];
    const table = [...renderResult(judged, styleOf(80)).matchAll(/^(?:FAIL|NO DATA|pass) +(\S+)/gm)];
    expect(table.map(([, metric]) => metric)).toEqual(order);
    const rows = [...renderResultMarkdown(judged).matchAll(/^\| (?:fail|no-data|pass) \| (\S+)/gm)];
    expect(rows.map(([, metric]) => metric)).toEqual(order);
  });

  test('omits empty sections, and columns of percentiles without values', () => {
    for (const absent of ['RETRIES', 'EXAMPLE', 'OUTCOME', 'BY POSITION', 'example', 'p99.9'])
      expect(text, absent).not.toContain(absent);
    expect(text).toMatch(/^failures +none$/m);
    expect(text).toMatch(/^LATENCY +count +p50 +p90 +p95 +p99 +max$/m);
    expect(renderResult(mixed, styleOf(80))).toMatch(/^RETRIES/m);
  });

  const lineOf = (text: string, name: string): string | undefined =>
    text.split('\n').find((line) => line.startsWith(name.padEnd(10)));

  test('states how many sessions the turns are from, if some were not created', async () => {
    let created = 0;
    const distribution: ServiceModel = (operation) => ({
      afterMs: 5,
      status: operation === 'create' && created++ > 0 ? 404 : 201 - Number(operation !== 'create'),
    });
    const { result } = await witness({ sessions: 3, turns: 3, retry: 'none' }, distribution);
    const text = renderResult(result, styleOf(80));
    expect(lineOf(text, 'sessions')).toBe('sessions  1 completed, 2 not created of 3 planned');
    expect(lineOf(text, 'turns')).toMatch(/^turns {5}3 ok, 0 failed of 3 planned in the sessions that were created; /);
    expect(lineOf(text, 'failures')).toBe(
      'failures  2 of 3 sessions not created, 2 of 3 attempts: provider_rejected 2',
    );
  });

  test.each([
    ['due', { load: { sessionsPerSecond: 10 } }],
    ['started', { load: { concurrency: 2 } }],
  ] as const)('calls sessions planned only if the scenario has a count of them, otherwise %s', async (word, load) => {
    const { result } = await witness({ duration: '6s', turns: 1, ...load }, () => ({ afterMs: 400 }));
    expect(lineOf(renderResult(result, styleOf(80)), 'sessions')).toMatch(new RegExp(`of \\d+ ${word}$`));
  });

  test('covers the measured time throughout, and explains the warm-up', async () => {
    // Sessions of one turn in sequence, half a second each; all fail in the first two seconds.
    const distribution: ServiceModel = (operation, at) => ({
      afterMs: operation === 'create' ? 0 : 500,
      ...(operation === 'message' && at < 2000 ? { status: 404 } : {}),
    });
    const scenario = { sessions: 20, turns: 1, retry: 'none', warmUp: '3s', load: { concurrency: 1 } } as const;
    const { result } = await witness(scenario, distribution);
    const text = renderResult(result, styleOf(80));
    expect(lineOf(text, 'sessions')).toBe('sessions  14 completed of 14 planned');
    expect(lineOf(text, 'turns')).toMatch(/^turns {5}14 ok, 0 failed of 14 planned; /);
    expect(lineOf(text, 'failures')).toBe('failures  none');
    expect(renderResultMarkdown(result)).toContain('14 of 14 turns ok, 0 failed; goodput');
    expect(lineOf(text, 'warm-up')).toBe('warm-up   6 sessions, 2 turns ok and 4 failed; excluded from these figures');
    expect(renderResult(steady, styleOf(80))).not.toContain('warm-up');
  });

  test('names every row of retries so that it can be read alone', async () => {
    const { result } = await witness({ sessions: 5, turns: 2, retry: { maxAttempts: 2 } }, (operation, at) => ({
      afterMs: 5,
      status: operation === 'create' ? 201 : at < 200 ? 503 : 200,
    }));
    const text = renderResult(result, styleOf(80));
    expect(text).toMatch(/^Retry-After absent +5$/m);
    expect(text).toMatch(/^ {2}share of turns ok +[\d.]+ %$/m);
  });

  test('of a run without a turn has no figures, and states so', async () => {
    const { result } = await witness({ sessions: 3, retry: 'none' }, () => ({ afterMs: 5, status: 503 }));
    const lines = renderResult(result, styleOf(80));
    expect(lines).not.toMatch(/^turn p/m);
    expect(lineOf(lines, 'generator')).toMatch(/^generator CPU [\d.]+ % of a core, [\d.]+ [kM]?B, \d+ connections?$/);
    expect(lineOf(text, 'generator')).toContain(', event loop delay p99 ');
    expect(lines).toMatch(/^failures +3 of 3 sessions not created, 3 of 3 attempts: provider_error 3$/m);
    expect(lines).toMatch(/^example +provider_error, session 1, create: /m);
  });
});

test.each<[string, Partial<Result['scenario']['plan']>, string]>([
  ['of three turns', { turns: { kind: 'constant', turns: 3 } }, '3'],
  ['of at most five turns', { turns: { kind: 'uniform', min: 1, max: 5 } }, '3-4'],
  [
    'of three turns and results of tools',
    { turns: { kind: 'constant', turns: 3 }, tools: { look: { hash: 'a' } } },
    '3-4',
  ],
])('the last position of sessions %s ends with their last turn', (_, change, last) => {
  const plan = { ...mixed.scenario.plan, ...change };
  const positions = mixed.positions.map((row, at) => (at > 2 ? { ...row, count: 0 } : row));
  const text = renderResult({ ...mixed, positions, scenario: { ...mixed.scenario, plan } }, styleOf(100));
  expect([...text.matchAll(/^turn (\d\S*) /gm)].map(([, position]) => position)).toEqual(['1', '2', last]);
});
