import { expect, test } from 'vitest';
import { heldMemory } from '../support/held-memory.ts';
import { AttributedLoad, recorderFor } from '../support/attributed-load.ts';
import { instant } from '../../src/base/time.ts';

test.each([undefined, 'text'] as const)(
  'a run of 1,000 turns per second retains no more after 40 seconds than after 20 (match: %s)',
  (match) => {
    const recorder = recorderFor(match);
    const load = new AttributedLoad(recorder);
    const memory = heldMemory();
    let second = 0;
    for (; second < 20; second++) load.second(second);
    const [before, { ...heldBefore }] = [memory(), recorder.held];
    for (; second < 40; second++) load.second(second);
    expect(memory() - before).toBeLessThan(12e6);
    const { held } = recorder;
    for (const name of ['attempts', 'turns', 'calls', 'waiting'])
      expect(held[name] ?? Infinity, name).toBeLessThanOrEqual(Math.max(20, (heldBefore[name] ?? 0) * 1.02));
    expect(held['words']).toBeLessThanOrEqual(50_000);
    expect(held['blocks']).toBeLessThanOrEqual(200_000);
    expect(held['attempts']).toBeLessThan(10_000 + 5000);
    expect(held['turns']).toBeLessThan(15_000);
    recorder.closeAt(instant(second * 1000));
    const { attempts, turns, calls, waiting } = recorder.held as Record<string, number>;
    expect({ turns: turns ?? 0, waiting, calls }).toMatchObject({ waiting: 0 });
    expect(attempts).toBeLessThanOrEqual(10_000);
    const { counters } = recorder.snapshots(instant(second * 1000))[0]?.totals[0] ?? {};
    expect(counters?.modelCallsPerTurn?.['3']).toBeGreaterThan(28_000);
  },
);
