import { describe, expect, test } from 'vitest';
import { memoryTrace } from '../../test/support/memory-trace.ts';
import { ms } from '../base/time.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { forecast, type Forecast } from './forecast.ts';
import { resolveScenario } from './resolve-scenario.ts';

function of(scenario: Partial<Scenario>, replyMs = 1000): Forecast {
  const { plan, script } = resolveScenario({ name: 'x', messages: ['a'], ...scenario }, { flags: {}, environment: {} });
  return forecast(plan, script, ms(replyMs));
}

function replayed(load: object): { resolved: Forecast; level: (number | null)[] } {
  const { plan, script } = resolveScenario({ name: 'x', load }, { flags: {}, environment: {} });
  const resolved = forecast(plan, script, ms(1000));
  const { peakLiveSessions, peakTurnsInFlight, peakTurnsPerSecond } = resolved;
  return { resolved, level: [peakLiveSessions, peakTurnsInFlight, peakTurnsPerSecond] };
}

describe('a forecast', () => {
  test('includes the length of a session: its creation, its turns, and the think times between', () => {
    expect(of({ sessions: 1, turns: 4, thinkTime: '2s' }).sessionMs).toBe(1000 + 4 * 1000 + 3 * 2000);
  });

  test('has the live sessions of Little’s law under open load', () => {
    const { peakLiveSessions, peakTurnsInFlight, peakTurnsPerSecond, sessions } = of({
      duration: '100s',
      turns: 4,
      thinkTime: '2s',
      load: { sessionsPerSecond: 3 },
    });
    expect([peakLiveSessions, peakTurnsInFlight, peakTurnsPerSecond, sessions]).toEqual([33, 12, 12, 300]);
  });

  test('has as many sessions started under closed load as slots and session length allow', () => {
    const { sessions, durationMs } = of({ duration: '100s', turns: 3, load: { concurrency: 5 } });
    expect([sessions, durationMs]).toEqual([125, 104_000]);
  });

  test('counts the turns of a known number of sessions exactly', () => {
    const { turns, sessions, durationMs } = of({ sessions: 40, turns: 3, load: { concurrency: 10 } });
    expect([sessions, turns, Math.round(durationMs ?? 0)]).toEqual([40, 120, 16_000]);
  });

  test('has every session of a trace, and the level of evenly spaced sessions', () => {
    const sessions = Array.from({ length: 601 }, (_, index) => ({
      atMs: index * 1000,
      turns: [[0, 8, 8] as const],
    }));
    const { resolved, level } = replayed({ trace: () => memoryTrace(sessions) });
    expect([resolved.sessions, resolved.turns]).toEqual([601, 601]);
    expect(level).toEqual([2, 1, 1]);
    expect(replayed({ trace: () => memoryTrace(sessions), for: '10s' }).resolved.sessions).toBe(10);
  });

  test('counts ramps by the area below them', () => {
    const stages = [
      { duration: '10s', sessionsPerSecond: 20 },
      { duration: '10s', sessionsPerSecond: 20 },
    ] as const;
    expect(of({ load: { stages } }).sessions).toBe(300);
  });

  test('starts no more sessions than the bound on live sessions allows', () => {
    const load = { sessionsPerSecond: 10, maxConcurrency: 8 };
    expect(of({ duration: '100s', turns: 3, load })).toMatchObject({ sessions: 200, peakLiveSessions: 8 });
  });

  test('reports when the duration leaves no room for all sessions', () => {
    expect(of({ sessions: 1000, duration: '10s', turns: 1, load: { sessionsPerSecond: 2 } }).sessions).toBe(20);
  });

  test('estimates when caps are reached, and omits caps that are not', () => {
    const closed = { sessions: 40, turns: 3, load: { concurrency: 10 } };
    const soon = of({ ...closed, maxTurns: 60, maxSessions: 30 });
    expect([soon.maxTurnsMs, soon.maxSessionsMs].map((at) => Math.round(at ?? 0))).toEqual([8000, 12_000]);
    expect(of({ ...closed, maxTurns: 120, maxSessions: 40 })).toMatchObject({ maxTurnsMs: null, maxSessionsMs: null });
    const open = { duration: '100s', turns: 3, load: { sessionsPerSecond: 2 } } as const;
    expect(Math.round(of({ ...open, maxTurns: 60 }).maxTurnsMs ?? 0)).toBe(12_000);
  });

  test('does not know the pace of closed load if no duration is known', () => {
    const noPace = { peakTurnsPerSecond: null, peakTurnsInFlight: 10, durationMs: null, maxTurnsMs: null };
    expect(of({ sessions: 40, turns: 3, maxTurns: 60 }, 0)).toMatchObject({ ...noPace, sessions: 40, turns: 120 });
    expect(of({ duration: '10s', turns: 3 }, 0)).toMatchObject({ ...noPace, sessions: null, turns: null });
  });

  test('serves no more than the capacity of the embedded service, and lets the others queue', () => {
    const open = {
      duration: '100s',
      turns: 4,
      load: { sessionsPerSecond: 14, maxConcurrency: 40 },
      embedded: { capacity: 6 },
    } as const;
    const { sessions, ...queued } = of(open, 200);
    expect(queued.peakTurnsPerSecond).toBeCloseTo(30);
    expect(queued.peakLiveSessions).toBeCloseTo(40);
    // 7.5 sessions per second, each created in 200 ms.
    expect(queued.peakTurnsInFlight).toBeCloseTo(40 - 1.5);
    // 40 sessions at 7.5 per second take 5.33 s, including 1 s of their own work.
    expect(queued.queueMs).toBeCloseTo((5333.3 - 1000) / 4, 0);
    expect(Math.abs((sessions ?? 0) - (7.5 * 100 + 40))).toBeLessThan(10);
    expect(of({ ...open, load: { ...open.load, whenFull: 'drop' } }, 200).peakTurnsPerSecond).toBeCloseTo(30);
  });

  test('lets an unlimited queue grow for as long as sessions arrive too fast', () => {
    const load = { sessionsPerSecond: 10 };
    const { peakLiveSessions, sessions, durationMs } = of(
      { duration: '100s', turns: 4, load, embedded: { capacity: 6 } },
      200,
    );
    expect(sessions).toBe(1000);
    expect(Math.abs(peakLiveSessions - 250)).toBeLessThan(10);
    expect(Math.abs((durationMs ?? 0) - 133_300)).toBeLessThan(1500);
  });

  test('makes closed load wait for the capacity too', () => {
    const closed = { sessions: 40, turns: 3, load: { concurrency: 10 }, embedded: { capacity: 2 } };
    const { sessions, peakTurnsPerSecond, durationMs, queueMs } = of(closed);
    expect([sessions, peakTurnsPerSecond]).toEqual([40, 2]);
    expect(Math.abs((durationMs ?? 0) - 60_000)).toBeLessThan(1500);
    expect(queueMs).toBeCloseTo((15_000 - 4000) / 3, 0);
  });

  test('is the same with a sufficient capacity, and for a service of unknown capacity', () => {
    const load = { sessionsPerSecond: 3 };
    const scenario = { duration: '100s', turns: 4, load } as const;
    expect(of({ ...scenario, embedded: { capacity: 13 } })).toEqual(of(scenario));
    const target = { baseUrl: 'http://127.0.0.1:9', agentId: 'a', apiKey: 'k' };
    expect(of({ ...scenario, target, embedded: { capacity: 1 } })).toEqual(of(scenario));
  });

  test('includes the pace of open load, and of thinking sessions, whatever the reply time', () => {
    const open = of({ duration: '100s', turns: 4, load: { sessionsPerSecond: 3 } }, 0);
    expect(open).toMatchObject({ peakTurnsPerSecond: 12, sessions: 300 });
    expect(of({ sessions: 40, turns: 3, thinkTime: '1s' }, 0).peakTurnsPerSecond).toBe(15);
  });
});
