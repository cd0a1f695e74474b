import { expect, test } from 'vitest';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { witness } from '../support/virtual-run.ts';

const common = { turns: 3, thinkTime: '100ms', gates: { 'turn.p95': '< 1s' } } as const;
const service = (): { afterMs: number } => ({ afterMs: 250 });

test.each<{ load: Partial<Scenario>; bound: Partial<Scenario>; flag: string }>([
  { load: { load: { concurrency: 4 } }, bound: { sessions: 9 }, flag: 'sessions' },
  { load: { load: { sessionsPerSecond: 2 } }, bound: { duration: '7s' }, flag: 'duration' },
  { load: { load: { concurrency: 1 }, warmUp: '1s' }, bound: { sessions: 9, duration: '1m' }, flag: 'sessions' },
  { load: { load: { concurrency: 1 } }, bound: { sessions: 900, duration: '5s' }, flag: 'duration' },
])(
  'a run of $load and $bound reports the required additional duration, which is sufficient',
  async ({ load, bound, flag }) => {
    const { result } = await witness({ ...common, ...load, ...bound }, service);
    const reason = result.gates[0]?.reason ?? '';
    expect(reason).toMatch(/^p95 needs 130 samples, has \d+: run about \d+ s longer, e.g. --\w+ \d+s?$/);
    const [, option = '', value = ''] = /e\.g\. --(\w+) (\w+)$/.exec(reason) ?? [];
    expect(option).toBe(flag);
    const longer = flag === 'sessions' ? { sessions: Number(value) } : { duration: value as '9s' };
    const { result: second } = await witness({ ...common, ...load, ...bound, ...longer }, service);
    expect(second.gates[0]?.verdict).toBe('pass');
  },
);
