import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { embeddedOptions, type EmbeddedOptions } from '../../scenario/embedded.ts';
import { dealOptions, undividedSettings, maxProcesses, newSessionId, ownerOf } from './deal-options.ts';

const undivided = (options: EmbeddedOptions, processes = 2): string[] =>
  undividedSettings(embeddedOptions.parse(options), processes);

describe('the settings of a service in several processes', () => {
  test.each<[string, EmbeddedOptions]>([
    ['the defaults', {}],
    ['a latency', { latency: { median: '200ms', sigma: 0.4 } }],
    ['faults by share', { faults: [{ kind: 'reset', share: 0.1, window: { from: '1s' } }] }],
    ['a freeze', { faults: [{ kind: 'stall', until: 'windowEnd', window: { from: 0, to: '2s' } }] }],
    ['an age', { maxIdle: '1s', maxTurnsPerSession: 2 }],
  ])('are kept by each process for its own sessions: %s', (_, options) => {
    expect(undivided(options, maxProcesses)).toEqual([]);
  });

  test.each<[string, EmbeddedOptions]>([
    ['capacity', { capacity: 5 }],
    ['rateLimit', { rateLimit: { perSecond: 5 } }],
    ['faults by every or first', { faults: [{ kind: 'reset', every: 2 }] }],
    ['faults by every or first', { faults: [{ kind: 'reset', first: 2, on: 'create' }] }],
    ['sabotage', { sabotage: [{ kind: 'swap' }] }],
    ['maxSessions below 500 per process', { maxSessions: 999 }],
    ['maxStoredCharacters below 1000000 per process', { maxStoredCharacters: 1_999_999 }],
  ])('are kept by one process for all: %s', (name, options) => {
    expect(undivided(options)).toEqual([name]);
  });

  test('are dealt out so that the limits of all processes add up to the limits of the whole', () => {
    const limit = fc.integer({ min: 1000, max: 1e9 });
    fc.assert(
      fc.property(
        limit,
        limit,
        fc.integer({ min: 1, max: maxProcesses }),
        (maxSessions, maxStoredCharacters, owners) => {
          const whole = embeddedOptions.parse({ maxSessions, maxStoredCharacters });
          const parts = Array.from({ length: owners }, (_, index) => dealOptions(whole, { index, owners }));
          const sum = (name: 'maxSessions' | 'maxStoredCharacters') => parts.reduce((all, part) => all + part[name], 0);
          expect([sum('maxSessions'), sum('maxStoredCharacters')]).toEqual([maxSessions, maxStoredCharacters]);
          expect(new Set(parts.map(({ seed }) => seed)).size).toBe(owners);
          expect(parts[0]?.seed).toBe(whole.seed);
        },
      ),
    );
  });
});

describe('a session id', () => {
  test('is a UUID that names its process', () => {
    for (let owner = 0; owner < maxProcesses; owner++) {
      const id = newSessionId(owner);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(ownerOf(id, maxProcesses)).toBe(owner);
      expect(ownerOf(id, owner)).toBeUndefined();
    }
  });

  test.each(['', 'nobody', '00', `${'x'.repeat(34)}-1`, `${'x'.repeat(34)} 1`, `${'x'.repeat(34)}zz`])(
    'that no process created names none: %j',
    (id) => {
      expect(ownerOf(id, maxProcesses)).toBeUndefined();
    },
  );
});
