import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { embeddedOptions, type EmbeddedOptions } from '../../scenario/embedded.ts';
import { SessionStore } from './session-store.ts';

const clock = new VirtualClock();
const storeOf = (options: EmbeddedOptions): SessionStore => new SessionStore(embeddedOptions.parse(options), clock);
const turn = { message: 'm', response: 'r', createdAt: '2026-01-01T00:00:00.000Z' };
const names = ['a', 'b', 'c', 'd'] as const;
const createFour = (store: SessionStore) => names.map(() => store.create('agent')) as [S, S, S, S];
type S = ReturnType<SessionStore['create']>;
const livingOf = (store: SessionStore, sessions: readonly S[]): string =>
  sessions.map(({ id }, index) => (store.find(id) === undefined ? '-' : (names[index] ?? '?'))).join('');

describe('the session store', () => {
  test('finds the sessions it created, under distinct ids', () => {
    const store = storeOf({});
    const [a, b] = [store.create('agent'), store.create('agent')];
    expect([store.find(a.id), store.find(b.id), store.find('nobody')]).toEqual([a, b, undefined]);
    expect(a.id).not.toBe(b.id);
  });

  test('forgets the longest-idle session first, not the oldest', () => {
    const store = storeOf({ maxSessions: 4 });
    const sessions = createFour(store);
    store.touch(sessions[0]);
    store.addTurn(sessions[1], turn);
    store.create('agent');
    store.create('agent');
    expect(livingOf(store, sessions)).toBe('ab--');
    expect(store.figures().sessions).toEqual({ live: 4, created: 6, evicted: 2 });
  });

  test('forgets a session at once when it was idle too long', () => {
    const store = storeOf({ maxIdle: '10s' });
    const sessions = createFour(store);
    clock.stall(9_999);
    store.touch(sessions[2]);
    expect(livingOf(store, sessions)).toBe('abcd');
    clock.stall(1);
    expect(livingOf(store, sessions)).toBe('--c-');
    expect(store.figures().sessions).toEqual({ live: 1, created: 4, evicted: 3 });
  });

  test('is bounded in characters, and keeps the session that is being served', () => {
    const store = storeOf({ maxStoredCharacters: 1000 });
    const sessions = createFour(store);
    for (const session of sessions) store.addTurn(session, { ...turn, message: 'x'.repeat(250) });
    expect(livingOf(store, sessions)).toBe('-bcd');
    expect(store.figures().storedCharacters).toBeLessThanOrEqual(1000);
    store.addTurn(sessions[1], { ...turn, message: 'x'.repeat(5000) });
    expect(livingOf(store, sessions)).toBe('-b--');
    expect(store.figures()).toMatchObject({ turnsStored: 5, sessions: { live: 1, evicted: 3 } });
  });

  test('frees the characters of forgotten sessions', () => {
    const store = storeOf({ maxSessions: 1 });
    store.addTurn(store.create('agent'), turn);
    store.create('agent');
    expect(store.figures().storedCharacters).toBe(0);
  });

  test('takes no memory for a turn of a session that it has forgotten meanwhile', () => {
    const store = storeOf({ maxSessions: 1 });
    const forgotten = store.create('agent');
    store.create('agent');
    store.touch(forgotten);
    store.addTurn(forgotten, turn);
    expect(store.find(forgotten.id)).toBeUndefined();
    expect(store.figures()).toMatchObject({ sessions: { live: 1 }, storedCharacters: 0, turnsStored: 1 });
  });

  test('stays within its bounds over a long soak', () => {
    const store = storeOf({ maxSessions: 50, maxTurnsPerSession: 5 });
    for (let index = 0; index < 5000; index++) {
      const session = store.create('agent');
      for (let number = 0; number < 8; number++) store.addTurn(session, turn);
    }
    const { sessions, storedCharacters, turnsStored } = store.figures();
    expect([sessions.live, turnsStored]).toEqual([50, 40_000]);
    expect(storedCharacters).toBe(50 * 5 * JSON.stringify({ turn: 1, ...turn }).length);
  });
});
