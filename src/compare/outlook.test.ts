import { describe, expect, test } from 'vitest';
import { ms } from '../base/time.ts';
import { forecast } from '../plan/forecast.ts';
import { resolveScenario } from '../plan/resolve-scenario.ts';
import { defineProtocol } from '../scenario/define-protocol.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { foreseeComparison } from './outlook.ts';

function of(scenario: Partial<Scenario>) {
  const { plan, script } = resolveScenario({ name: 'x', messages: ['a'], ...scenario }, { flags: {}, environment: {} });
  return foreseeComparison(plan, forecast(plan, script, ms(500)));
}

const turnsOf = (scenario: Partial<Scenario>): number => of(scenario).turnsPerRun ?? 0;

describe('the outlook of a comparison of runs of a plan', () => {
  test('includes everything if ten thousand turns and sessions end in the window', () => {
    // 35 one-turn sessions per second for 300 s, less the second of the first creations and replies.
    const { turnsPerRun, decides, cannotDecide } = of({ duration: '5m', load: { sessionsPerSecond: 35 } });
    expect(turnsPerRun).toBeGreaterThan(10_400);
    expect(turnsPerRun).toBeLessThan(10_500);
    expect(decides).toEqual([
      'turn.ok.p50',
      'turn.ok.p99',
      'turn.ok.mean',
      'turns.failedShare',
      'sessions.createFailedShare',
      'turns.unansweredShare',
      'attempt.ok.p99',
      'sessionCreate.p50',
      'sessionCreate.p95',
      'sessionCreate.mean',
      'retries.amplification',
    ]);
    expect(cannotDecide).toEqual([
      {
        metric: 'rates.turnsPerSecond',
        reason: 'under open load the rate is fixed',
        subject: null,
        needs: null,
        gives: null,
      },
    ]);
  });

  describe('has nothing about creations exactly if the protocol creates no sessions', () => {
    const own = { name: 'own', message: { path: '/chat', body: () => ({}) }, reply: { text: 'answer' } } as const;
    const creating = defineProtocol({ ...own, createSession: { path: '/sessions', sessionId: 'id' } });
    test.each([
      ['chat-messaging', {}, true],
      ['openai-chat', {}, false],
      ['anthropic-messages', {}, false],
      ['openai-responses', {}, false],
      ['openai-responses', { conversation: 'conversation' }, true],
      [defineProtocol(own), {}, false],
      [creating, {}, true],
    ] as const)('%j %j: %j', (protocol, rest, creates) => {
      const target = { baseUrl: 'http://127.0.0.1:1', agentId: 'a', apiKey: 'k', protocol, ...rest };
      const { decides, cannotDecide, createFailedShareFrom } = of({ sessions: 3000, turns: 5, target });
      const named = [...decides, ...cannotDecide.map(({ metric }) => metric)];
      expect(decides).toContain('turn.ok.mean');
      expect(named.some((metric) => metric.startsWith('session'))).toBe(creates);
      expect(createFailedShareFrom !== null).toBe(creates);
    });
  });

  test('excludes p99 with fewer, with the needed number', () => {
    const { decides, cannotDecide } = of({ sessions: 440, turns: 5, load: { concurrency: 20 } });
    expect(decides).toEqual([
      ...['turn.ok.p50', 'turn.ok.mean', 'turns.failedShare', 'sessions.createFailedShare', 'turns.unansweredShare'],
      ...['sessionCreate.p50', 'sessionCreate.mean', 'rates.turnsPerSecond', 'retries.amplification'],
    ]);
    expect(cannotDecide).toEqual([
      { metric: 'turn.ok.p99', reason: 'too few turns', subject: 'turns', needs: 10_000, gives: 2200 },
      { metric: 'attempt.ok.p99', reason: 'too few turns', subject: 'turns', needs: 10_000, gives: 2200 },
      { metric: 'sessionCreate.p95', reason: 'too few sessions', subject: 'sessions', needs: 2000, gives: 440 },
    ]);
  });

  test('omits the warm-up, and the rest of an interval before the drain', () => {
    const load = { concurrency: 10 };
    const whole = turnsOf({ duration: '20s', turns: 4, load });
    expect(turnsOf({ duration: '20s', warmUp: '5s', turns: 4, load }) / whole).toBeCloseTo(0.75, 2);
    const [long, short] = [of({ duration: '2500ms', load }), of({ duration: '2s', load })];
    expect(long.measuredMs).toBe(2000);
    expect((long.turnsPerRun ?? 0) / (short.turnsPerRun ?? 0)).toBeCloseTo(1, 1);
  });

  test('reports the minimum share of failed turns', () => {
    const [few, many] = [20, 5000].map((sessions) => of({ sessions }).failedShareFrom);
    // From u = 2 sqrt(.375 / n) on t(.975, 8) + t(.8, 8) = 3.1949 times sqrt(2 / 5 / n) more: 0.27386 + 0.45183 of 20.
    expect(few).toBeCloseTo((0.27386 + 0.45183) ** 2 / 4 - 0.375 / 20, 4);
    expect(many).toBeCloseTo((0.017321 + 0.028576) ** 2 / 4 - 0.375 / 5000, 6);
  });

  test('reports the minimum share of sessions that are not created', () => {
    const { failedShareFrom, createFailedShareFrom } = of({ sessions: 20, turns: 4 });
    expect(createFailedShareFrom).toBe(of({ sessions: 20 }).failedShareFrom);
    expect(createFailedShareFrom).toBeGreaterThan((failedShareFrom ?? NaN) * 3);
  });

  test('reports that a run of under twelve intervals does not show its own noise', () => {
    const load = { concurrency: 10 };
    expect(of({ duration: '11s', load }).knowsNoiseWithin).toBe(false);
    expect(of({ duration: '12s', load }).knowsNoiseWithin).toBe(true);
    expect(of({ duration: '12s', warmUp: '1s', load }).knowsNoiseWithin).toBe(false);
  });

  test('leaves numbers unknown that only the service sets: turns in a time without think time', () => {
    const { plan, script } = resolveScenario(
      { name: 'x', messages: ['a'], duration: '20s', load: { concurrency: 5 } },
      { flags: {}, environment: {} },
    );
    const outlook = foreseeComparison(plan, forecast(plan, script, ms(0)));
    expect([outlook.turnsPerRun, outlook.failedShareFrom, outlook.measuredMs]).toEqual([null, null, 20_000]);
    expect(outlook.cannotDecide).toContainEqual({
      metric: 'turn.ok.p99',
      reason: 'the service sets the number of turns',
      subject: 'turns',
      needs: 10_000,
      gives: null,
    });
  });
});
