import { describe, expect, test } from 'vitest';
import { memoryTrace } from '../../../../test/support/memory-trace.ts';
import { resolveScenario } from '../../../plan/resolve-scenario.ts';
import { resolveSearch, type SearchRequest } from './resolve-search.ts';

const asked: SearchRequest = { objectives: ['turn.p95 < 2s'] };
const resolvedOf = (more: object = {}) =>
  resolveScenario(
    { name: 'x', messages: ['a'], load: { concurrency: 5 }, sessions: 9, ...more },
    { flags: {}, environment: {} },
  );
const settingsOf = async (request: Partial<SearchRequest> = {}, more: object = {}) =>
  (await resolveSearch(resolvedOf(more), { ...asked, ...request })).settings;

describe('a default', () => {
  test('for closed load: concurrent sessions, from 1', async () => {
    expect(await settingsOf()).toMatchObject({ by: 'concurrency', min: 1, tolerance: 0.15, maxTurns: null });
    expect((await settingsOf()).max).toBeLessThanOrEqual(10_000);
  });

  test('for open load: sessions per second, from the rate that keeps about one live', async () => {
    // Turns without think time: half a second or less per session.
    const { by, min } = await settingsOf({}, { load: { sessionsPerSecond: 5 }, turns: 1 });
    expect(by).toBe('rate');
    expect([1, 2, 5]).toContain(Number(String(min).replace(/[0.]/g, '')));
  });

  test('for limits: the limits of the scenario', async () => {
    const bounds = { maxTurns: 500, maxSessions: 90, maxDuration: '3m', maxCost: 2, cost: () => 1 };
    expect(await settingsOf({}, bounds)).toMatchObject({
      maxTurns: 500,
      maxSessions: 90,
      maxDurationMs: 180_000,
      maxCost: 2,
    });
  });

  test('for the minimum: below a given maximum', async () => {
    expect(await settingsOf({ max: 4 })).toMatchObject({ min: 1, max: 4 });
  });
});

const guards = [
  ['turns.failedShare', '< 5%', true],
  ['sessions.createFailedShare', '< 5%', true],
];

describe('objectives', () => {
  test('are the gates by default; unsuitable gates are listed', async () => {
    const gates = { 'turn.p95': '< 3s', 'rates.turnsPerSecond': '> 5' };
    const { settings, fromGates, omitted } = await resolveSearch(resolvedOf({ gates }), { objectives: [] });
    expect(fromGates).toBe(true);
    expect(settings.objectives.map(({ metric, condition, isGuard }) => [metric, condition, isGuard])).toEqual([
      ['turn.p95', '< 3s', false],
      ...guards,
    ]);
    expect(omitted.join()).toContain('rates.turnsPerSecond');
  });

  test('on the command line replace the gates', async () => {
    const settings = await settingsOf({}, { gates: { 'effective.p99': '< 3s' } });
    expect(settings.objectives.filter(({ isGuard }) => !isGuard).map(({ metric }) => metric)).toEqual(['turn.p95']);
  });

  test('have guards against failures, unless one of them limits failures', async () => {
    const guardsOf = async (...objectives: string[]) =>
      (await settingsOf({ objectives })).objectives.flatMap(({ metric, condition, isGuard }) =>
        isGuard ? [[metric, condition, isGuard]] : [],
      );
    expect(await guardsOf('turn.p95 < 2s', 'integrity.failed < 1')).toEqual(guards);
    expect(await guardsOf('turn.p95 < 2s', 'turns.failedShare < 20%')).toEqual([]);
    expect(await guardsOf('sessions.failedShare < 2%')).toEqual([]);
  });

  test('are required', async () => {
    await expect(resolveSearch(resolvedOf(), { objectives: [] })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('no gate of the scenario can be one') as string,
      hint: expect.stringContaining('--objective') as string,
    });
  });

  test('for streamed replies are rejected without streams, and so are durations of 0', async () => {
    for (const objective of ['firstToken.p95 < 1s', 'gap.p99 < 80ms'])
      await expect(settingsOf({ objectives: [objective] })).rejects.toMatchObject({
        message: expect.stringContaining('--stream') as string,
      });
    await expect(settingsOf({ objectives: ['turn.p95 < 0ms'] })).rejects.toMatchObject({ code: 'usage' });
  });

  test('that cannot be evaluated are rejected', async () => {
    await expect(settingsOf({ objectives: ['turn.p59 < 2s', 'rates.turnsPerSecond > 2'] })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/turn\.p59[^]*rates\.turnsPerSecond/) as string,
    });
  });
});

describe('refused, with a remedy', () => {
  test.each<[string, Partial<SearchRequest>, object, RegExp, RegExp]>([
    ['several policies', {}, { retry: { one: {}, two: { maxAttempts: 3 } } }, /one, two/, /once for each/],
    [
      'a trace',
      {},
      { load: { trace: () => memoryTrace([{ atMs: 0, turns: [[0, 9, 9]] }]) }, sessions: undefined },
      /replays a trace/,
      /chat-load fit/,
    ],
    ['a range of nothing', { min: 8, max: 8 }, {}, /not below the maximum/, /--min and --max/],
    ['half a session', { min: 1.5 }, {}, /whole numbers/, /--min/],
    ['no load', { min: 0, by: 'rate' }, {}, /above 0/, /--min/],
    ['an interval of nothing', { tolerance: 0.001 }, {}, /0\.1 %/, /--tolerance 15%/],
  ])('%s', async (_, request, more, message, hint) => {
    await expect(settingsOf(request, more)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message) as string,
      hint: expect.stringMatching(hint) as string,
    });
  });
});
