import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Allowance } from './allowance.ts';
import type { RunStop } from './ending.ts';

const none = { maxTurns: null, maxSessions: null, maxCost: null };

function opened(caps: Partial<typeof none | Record<keyof typeof none, number>>): [Allowance, RunStop[]] {
  const ends: RunStop[] = [];
  return [new Allowance({ ...none, ...caps }, (spent) => ends.push(spent)), ends];
}

describe('an allowance', () => {
  test('without caps allows everything', () => {
    const [allowance, ends] = opened({});
    allowance.spend(1e12);
    expect([allowance.takeSession(), allowance.takeTurn(), ends]).toEqual([true, true, []]);
  });

  test('of turns ends the run with the first send beyond it, not with the last one within', () => {
    const [allowance, ends] = opened({ maxTurns: 2 });
    expect([allowance.takeTurn(), allowance.takeTurn(), ends]).toEqual([true, true, []]);
    expect(allowance.takeTurn()).toBe(false);
    expect(ends).toEqual([{ kind: 'cap', of: 'turns', why: 'maxTurns (2) was reached' }]);
  });

  test('of turns that is used up lets no session be created, which could not say anything', () => {
    const [allowance, ends] = opened({ maxTurns: 1 });
    allowance.takeTurn();
    expect([allowance.takeSession(), ends[0]]).toMatchObject([false, { of: 'turns' }]);
  });

  test('of sessions leaves turns alone', () => {
    const [allowance, ends] = opened({ maxSessions: 1 });
    expect([allowance.takeSession(), allowance.takeSession(), allowance.takeTurn()]).toEqual([true, false, true]);
    expect(ends).toMatchObject([{ kind: 'cap', of: 'sessions', why: 'maxSessions (1) was reached' }]);
  });

  test('of cost allows sends until replies have cost as much', () => {
    const [allowance, ends] = opened({ maxCost: 0.5 });
    allowance.spend(499_999);
    expect(allowance.takeTurn()).toBe(true);
    allowance.spend(1);
    expect([allowance.takeTurn(), allowance.takeSession()]).toEqual([false, false]);
    expect(ends[0]).toMatchObject({ of: 'cost', why: 'maxCost (0.5) was reached: replies cost 0.5' });
  });

  test('is never exceeded, whatever is asked in whatever order', () => {
    const cap = fc.option(fc.integer({ min: 1, max: 20 }));
    const asked = fc.array(fc.constantFrom('turn', 'session', 'spend'));
    fc.assert(
      fc.property(fc.record({ maxTurns: cap, maxSessions: cap, maxCost: cap }), asked, (caps, steps) => {
        const [allowance, ends] = opened(caps as Record<keyof typeof none, number>);
        const taken = { turn: 0, session: 0 };
        let cost = 0;
        for (const step of steps) {
          if (step === 'spend') {
            cost += 1;
            allowance.spend(1e6);
            continue;
          }
          const allowed = step === 'turn' ? allowance.takeTurn() : allowance.takeSession();
          if (allowed) taken[step] += 1;
          if (allowed) expect(cost).toBeLessThan(caps.maxCost ?? Infinity);
          else expect(ends.length).toBeGreaterThan(0);
        }
        expect(taken.turn).toBeLessThanOrEqual(caps.maxTurns ?? Infinity);
        expect(taken.session).toBeLessThanOrEqual(caps.maxSessions ?? Infinity);
      }),
    );
  });
});
