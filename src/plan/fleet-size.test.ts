import { describe, expect, test } from 'vitest';
import { ms } from '../base/time.ts';
import { connectionNeeds } from './socket-room.ts';
import { sizeFleet, type FleetSize } from './core-needs.ts';
import { forecast } from './forecast.ts';
import { resolveScenario } from './resolve-scenario.ts';

function sizeOf(scenario: object, shards: number): FleetSize {
  const given = { name: 'x', messages: ['a'], turns: 4, thinkTime: '1s', ...scenario };
  const { plan, script } = resolveScenario(given, { flags: {}, environment: {} });
  const forecasted = forecast(plan, script, ms(500));
  return sizeFleet(plan, { forecast: forecasted, needs: connectionNeeds(plan, forecasted), shards });
}

describe('the size of a fleet', () => {
  test('has a whole number of sessions for the worker with the most', () =>
    expect(sizeOf({ sessions: 1000, load: { concurrency: 100 } }, 7)).toMatchObject({
      sessionsLive: 15,
      maxConnections: 15,
    }));

  test('has memory for 10,000 live sessions if 100,000 are shared by ten', () => {
    const { workerMiB } = sizeOf({ sessions: 1_000_000, load: { concurrency: 100_000 } }, 10);
    expect(workerMiB).toBe(256 + 98);
  });

  test('has no limit on connections if the load has none', () =>
    expect(sizeOf({ duration: '1m', load: { sessionsPerSecond: 5 } }, 2).maxConnections).toBeNull());

  test.each([
    ['the shorter of the duration and the limit', { duration: '10m', maxDuration: '3m' }, 180, 'scenario'],
    // A session takes 0.5 s to create, 4 x 0.5 s to answer and 3 x 1 s to think; ten times ten of these, times four.
    ['four times the forecast', { sessions: 100, load: { concurrency: 10 } }, 220, 'forecast'],
  ] as const)('lasts %s', (_, scenario, lengthSeconds, lengthFrom) =>
    expect(sizeOf({ load: { concurrency: 10 }, ...scenario }, 2)).toMatchObject({ lengthSeconds, lengthFrom }),
  );

  test('lasts a day if the service sets the pace and nothing ends the run but its sessions', () => {
    const { plan, script } = resolveScenario(
      { name: 'x', messages: ['a'], sessions: 5 },
      { flags: {}, environment: {} },
    );
    const forecasted = forecast(plan, script, ms(0));
    const size = sizeFleet(plan, { forecast: forecasted, needs: connectionNeeds(plan, forecasted), shards: 1 });
    expect(size).toMatchObject({ lengthSeconds: 86_400, lengthFrom: 'nothing' });
  });
});
