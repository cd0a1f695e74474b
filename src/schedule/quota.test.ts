import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Quota } from './quota.ts';
import type { RunStop } from './stop/stop-controller.ts';

const none = { maxTurns: null, maxSessions: null, maxCost: null };

function opened(caps: Partial<typeof none | Record<keyof typeof none, number>>): [Quota, RunStop[]] {
  const ends: RunStop[] = [];
  return [new Quota({ ...none, ...caps }, (spent) => ends.push(spent)), ends];
}

describe('an allowance', () => {
  test('without caps allows everything', () => {
    const [quota, ends] = opened({});
    quota.spend(1e12);
    expect([quota.takeSession(), quota.takeTurn(), ends]).toEqual([true, true, []]);
  });

  test('of turns ends the run with the first send beyond it, not with the last one within', () => {
    const [quota, ends] = opened({ maxTurns: 2 });
    expect([quota.takeTurn(), quota.takeTurn(), ends]).toEqual([true, true, []]);
    expect(quota.takeTurn()).toBe(false);
    expect(ends).toEqual([{ kind: 'cap', of: 'turns', why: 'maxTurns (2) was reached' }]);
  });

  test('of turns that is used up lets no session be created, because it could not send a message', () => {
    const [quota, ends] = opened({ maxTurns: 1 });
    quota.takeTurn();
    expect([quota.takeSession(), ends[0]]).toMatchObject([false, { of: 'turns' }]);
  });

  test('of sessions does not limit turns', () => {
    const [quota, ends] = opened({ maxSessions: 1 });
    expect([quota.takeSession(), quota.takeSession(), quota.takeTurn()]).toEqual([true, false, true]);
    expect(ends).toMatchObject([{ kind: 'cap', of: 'sessions', why: 'maxSessions (1) was reached' }]);
  });

  test('of cost allows sends until the cost of replies reaches it', () => {
    const [quota, ends] = opened({ maxCost: 0.5 });
    quota.spend(499_999_999);
    expect(quota.takeTurn()).toBe(true);
    quota.spend(1);
    expect([quota.takeTurn(), quota.takeSession()]).toEqual([false, false]);
    expect(ends[0]).toMatchObject({ of: 'cost', why: 'maxCost (0.5) was reached: replies cost 0.5' });
  });

  test('is never exceeded, in any order of requests', () => {
    const cap = fc.option(fc.integer({ min: 1, max: 20 }));
    const asked = fc.array(fc.constantFrom('turn', 'session', 'spend'));
    fc.assert(
      fc.property(fc.record({ maxTurns: cap, maxSessions: cap, maxCost: cap }), asked, (caps, steps) => {
        const [quota, ends] = opened(caps as Record<keyof typeof none, number>);
        const taken = { turn: 0, session: 0 };
        let cost = 0;
        for (const step of steps) {
          if (step === 'spend') {
            cost += 1;
            quota.spend(1e9);
            continue;
          }
          const allowed = step === 'turn' ? quota.takeTurn() : quota.takeSession();
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
