import { describe, expect, test } from 'vitest';
import { ms } from '../base/time.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { connectionNeeds, type ConnectionNeeds } from './socket-room.ts';
import { forecast } from './forecast.ts';
import { resolveScenario } from './resolve-scenario.ts';

function needs(scenario: Partial<Scenario>, replyMs = 1000): ConnectionNeeds {
  const { plan, script } = resolveScenario({ name: 'x', messages: ['a'], ...scenario }, { flags: {}, environment: {} });
  return connectionNeeds(plan, forecast(plan, script, ms(replyMs)));
}
const day = { duration: '24h' } as const;

describe('the connections of closed load', () => {
  test('are its sessions without think times, however fast the replies are', () => {
    for (const replyMs of [0, 1, 60_000])
      expect(needs({ ...day, turns: 4, load: { concurrency: 300 } }, replyMs)).toEqual({
        certain: 300,
        expected: 300,
        max: 300,
      });
  });

  test('do not exceed the number of sessions', () => {
    expect(needs({ sessions: 40, load: { concurrency: 300 } })).toEqual({ certain: 40, expected: 40, max: 40 });
  });

  test('are needed for creations if turns in flight are limited and sessions start together', () => {
    const load = { concurrency: 300, maxTurnsInFlight: 20 };
    expect(needs({ ...day, turns: 4, load })).toMatchObject({ certain: 300, max: 300 });
  });

  test('are at most the turns in flight if sessions start gradually', () => {
    const load = { concurrency: 300, maxTurnsInFlight: 20, rampUp: '1h' } as const;
    expect(needs({ ...day, turns: 4, load })).toEqual({ certain: 20, expected: 80, max: 300 });
  });

  test.each(['sse', 'websocket'] as const)(
    'are two for each session whose replies arrive on its own %s',
    (transport) => {
      const listen = { transport, connect: () => ({ path: '/events' }), match: () => true, text: 'text', end: 'last' };
      const protocol = { message: { path: '/ask' }, reply: { then: { listen } } };
      const target = { protocol, baseUrl: 'http://127.0.0.1:9', auth: 'none' } as const;
      expect(needs({ ...day, turns: 4, load: { concurrency: 300 }, target })).toEqual({
        certain: 600,
        expected: 600,
        max: 600,
      });
      expect(needs({ sessions: 40, load: { concurrency: 300 }, target })).toEqual({
        certain: 80,
        expected: 80,
        max: 80,
      });
    },
  );

  test('are kept by sessions that think over WebSocket', () => {
    const protocol = {
      transport: 'websocket',
      connect: { path: '/ws' },
      send: () => '',
      read: { text: 'a', end: 'b' },
    };
    const target = { baseUrl: 'http://127.0.0.1:1', auth: 'none', protocol } as const;
    const thinking = { ...day, turns: 2, thinkTime: '7s', target } as Partial<Scenario>;
    const some = { certain: 300, expected: 300, max: 300 };
    expect(needs({ ...thinking, load: { concurrency: 300 } })).toEqual(some);
    expect(needs({ ...thinking, load: { concurrency: 300, rampUp: '1h' } })).toEqual(some);
  });

  test('are shared by sessions that think, once they have been created', () => {
    const thinking = { ...day, turns: 2, thinkTime: '7s' } as const;
    expect(needs({ ...thinking, load: { concurrency: 300 } })).toEqual({ certain: 300, expected: 90, max: 300 });
    expect(needs({ ...thinking, load: { concurrency: 300, rampUp: '1m' } })).toEqual({
      certain: 1,
      expected: 90,
      max: 300,
    });
  });

  test('assume no think time if a session has one turn', () => {
    const load = { concurrency: 300, rampUp: '1m' } as const;
    expect(needs({ ...day, turns: 1, thinkTime: '7s', load }).certain).toBe(300);
  });

  test('are needed at the highest stage, and at the largest jump if sessions think', () => {
    const stages = [
      { duration: '1m', concurrency: 50 },
      { duration: 0, concurrency: 170 },
      { duration: '1m', concurrency: 200 },
      { duration: '1m', concurrency: 20 },
    ] as const;
    expect(needs({ load: { stages } }).certain).toBe(200);
    expect(needs({ turns: 2, thinkTime: '1s', load: { stages } })).toMatchObject({ certain: 120, max: 200 });
  });

  test('are needed at the highest level reached within the duration', () => {
    const stages = [
      { duration: '100s', concurrency: 100 },
      { duration: 0, concurrency: 5000 },
    ] as const;
    expect(needs({ load: { stages } }).max).toBe(100);
    expect(needs({ duration: '50s', load: { stages } }).max).toBe(50);
    expect(needs({ duration: '10m', load: { stages } }).max).toBe(5000);
  });
});

describe('the connections of open load', () => {
  test('follow from Little’s law without a configured limit', () => {
    const load = { sessionsPerSecond: 10 };
    expect(needs({ ...day, turns: 3, thinkTime: '5s', load })).toEqual({ certain: 1, expected: 40, max: null });
    expect(needs({ ...day, turns: 3, thinkTime: '5s', load }, 2000).expected).toBe(80);
  });

  test('are enough for the turns in flight at the peak if replies queue only there', () => {
    const stages = [
      { duration: '1h', sessionsPerSecond: 1 },
      { duration: '1m', sessionsPerSecond: 10 },
    ] as const;
    const load = { stages, maxConcurrency: 40 };
    const embedded = { capacity: 6 };
    const { plan, script } = resolveScenario(
      { name: 'x', messages: ['a'], turns: 3, thinkTime: '2s', load, embedded },
      { flags: {}, environment: {} },
    );
    const forecasted = forecast(plan, script, ms(1000));
    // Six slots serve two sessions per second. Of 40 live sessions eight think, and two are being created.
    expect(forecasted.peakTurnsInFlight).toBeCloseTo(30);
    expect(connectionNeeds(plan, forecasted).expected).toBe(32);
  });

  test('do not exceed the limit on live sessions', () => {
    const load = { sessionsPerSecond: 10, maxConcurrency: 25 };
    expect(needs({ ...day, turns: 3, load })).toEqual({ certain: 1, expected: 25, max: 25 });
    expect(needs({ sessions: 9, turns: 3, load }).max).toBe(9);
  });
});
