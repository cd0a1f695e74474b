import { expect, test } from 'vitest';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { witness } from '../support/virtual-run.ts';

const common = { turns: 3, thinkTime: '100ms', gates: { 'turn.p95': '< 1s' } } as const;
const service = (): { afterMs: number } => ({ afterMs: 250 });

test.each<{ load: Partial<Scenario>; bound: Partial<Scenario> }>([
  { load: { load: { concurrency: 4 } }, bound: { sessions: 9 } },
  { load: { load: { sessionsPerSecond: 2 } }, bound: { duration: '7s' } },
  { load: { load: { concurrency: 1 }, warmUp: '1s' }, bound: { sessions: 9, duration: '1m' } },
])(
  'a run of $load and $bound reports the required additional duration, which is sufficient',
  async ({ load, bound }) => {
    const { result } = await witness({ ...common, ...load, ...bound }, service);
    const reason = result.gates[0]?.reason ?? '';
    expect(reason).toMatch(/^p95 needs 130 samples, has \d+: run about \d+ s longer, e.g. --sessions \d+$/);
    const [more = 0, sessions = 0] = (/about (\d+) s longer, e.g. --sessions (\d+)$/.exec(reason) ?? [])
      .slice(1)
      .map(Number);
    const verdictWith = async (longer: Partial<Scenario>): Promise<unknown> =>
      (await witness({ ...common, ...load, ...longer }, service)).result.gates[0]?.verdict;
    expect(await verdictWith({ sessions })).toBe('pass');
    expect(await verdictWith({ duration: Math.ceil(result.run.durationMs) + more * 1000 })).toBe('pass');
  },
);
