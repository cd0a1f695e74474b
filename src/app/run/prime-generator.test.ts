import { describe, expect, test } from 'vitest';
import { primeGenerator } from './conduct-run.ts';
import { addTallies } from '../../result/sections/figures.ts';

describe('priming the generator', () => {
  test('runs hundreds of successful turns, like a run', async () => {
    const { snapshot, stop } = await primeGenerator({ sessions: 150, maxMs: 60_000 });
    const { turns, sessions } = addTallies(snapshot.totals).counters;
    expect([turns.ok, sessions.completed, stop]).toEqual([300, 150, undefined]);
  });

  test('ends when its time is over, even if turns remain', async () => {
    const { snapshot, stop } = await primeGenerator({ sessions: 1_000_000, maxMs: 0 });
    const { sessions } = addTallies(snapshot.totals).counters;
    expect(stop?.kind).toBe('signal');
    expect(sessions.started).toBeLessThan(100);
  });
});
