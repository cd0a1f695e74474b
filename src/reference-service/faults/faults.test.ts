import { describe, expect, test } from 'vitest';
import { ms } from '../../base/time.ts';
import { embeddedOptions, type EmbeddedOptions } from '../../scenario/embedded.ts';
import type { FaultOptions } from '../../scenario/embedded-faults.ts';
import { Faults } from './faults.ts';

const faultsOf = (faults: readonly FaultOptions[], seed = 1): Faults => {
  const options: EmbeddedOptions = { faults };
  return new Faults(embeddedOptions.parse(options).faults, seed);
};

/** Returns the faults applied to this number of consecutive messages, all at one time. */
const strikes = (faults: Faults, count: number, at = 0): (string | undefined)[] =>
  Array.from({ length: count }, () => faults.strike('message', ms(at))?.kind);
const countOf = (struck: readonly unknown[], kind: string): number => struck.filter((each) => each === kind).length;

describe('faults', () => {
  test('affect nothing if there are none', () => {
    expect(strikes(faultsOf([]), 3)).toEqual([undefined, undefined, undefined]);
  });

  test('by share affect about that share, the same messages for the same seed', () => {
    const share = faultsOf([{ kind: 'reset', share: 0.2 }]);
    const struck = strikes(share, 10_000);
    // Five standard deviations of a binomial with n = 10,000 and p = 0.2 are 200.
    expect(Math.abs(countOf(struck, 'reset') - 2000)).toBeLessThan(200);
    expect(strikes(faultsOf([{ kind: 'reset', share: 0.2 }]), 10_000)).toEqual(struck);
    expect(strikes(faultsOf([{ kind: 'reset', share: 0.2 }], 2), 10_000)).not.toEqual(struck);
  });

  test('each affect their full share, independently of one another', () => {
    const all = strikes(
      faultsOf([
        { kind: 'reset', share: 0.25 },
        { kind: 'cut', share: 0.5 },
        { kind: 'hang', share: 0.25 },
      ]),
      8000,
    );
    expect(all).not.toContain(undefined);
    // Five standard deviations at p = 0.5 are 224.
    expect(Math.abs(countOf(all, 'cut') - 4000)).toBeLessThan(224);
  });

  test('by count affect the first operations, or every n-th', () => {
    expect(strikes(faultsOf([{ kind: 'cut', first: 2 }]), 4)).toEqual(['cut', 'cut', undefined, undefined]);
    expect(strikes(faultsOf([{ kind: 'cut', every: 3 }]), 7).map((kind) => kind === 'cut')).toEqual([
      false,
      false,
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  test('count only messages that no earlier fault affected', () => {
    const faults = faultsOf([
      { kind: 'reset', first: 2 },
      { kind: 'cut', first: 1 },
    ]);
    expect(strikes(faults, 4)).toEqual(['reset', 'reset', 'cut', undefined]);
  });

  test('in a window apply from its start until just before its end', () => {
    const faults = faultsOf([
      { kind: 'hang', window: { from: '1s', to: '2s' } },
      { kind: 'cut', window: { from: '5s' } },
    ]);
    const at = [999, 1000, 1999, 2000, 4999, 5000, 1e9].map((time) => strikes(faults, 1, time)[0]);
    expect(at).toEqual([undefined, 'hang', 'hang', undefined, undefined, 'cut', 'cut']);
  });

  test('in a window count only messages inside it', () => {
    const faults = faultsOf([{ kind: 'hang', first: 1, window: { from: '1s', to: '2s' } }]);
    expect([...strikes(faults, 3, 0), ...strikes(faults, 2, 1500)]).toEqual([
      undefined,
      undefined,
      undefined,
      'hang',
      undefined,
    ]);
  });

  test('affect the operation that they are set for', () => {
    const faults = faultsOf([{ kind: 'reset', on: 'create' }]);
    expect([faults.strike('message', ms(0)), faults.strike('create', ms(0))?.kind]).toEqual([undefined, 'reset']);
  });

  test('that freeze the service hold replies until the end of the window, and affect nothing else', () => {
    const faults = faultsOf([
      { kind: 'stall', until: 'windowEnd', window: { from: '1s', to: '3s' } },
      { kind: 'stall', until: 'windowEnd', window: { from: '2s', to: '4s' } },
    ]);
    expect(faults.freezes).toBe(true);
    expect([0, 1000, 2000, 2999, 3000, 4000].map((at) => faults.frozenUntil('message', ms(at)))).toEqual([
      undefined,
      3000,
      4000,
      4000,
      4000,
      undefined,
    ]);
    expect(faults.frozenUntil('create', ms(1000))).toBeUndefined();
    expect(strikes(faults, 1, 1500)).toEqual([undefined]);
    expect(faultsOf([{ kind: 'stall', for: '1s' }]).freezes).toBe(false);
  });
});
