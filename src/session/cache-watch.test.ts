import { expect, test } from 'vitest';
import { instant } from '../base/time.ts';
import { CacheWatch } from './cache-watch.ts';

/** Ends first turns one after another: new texts after some time, repeated ones after another. */
function watch(newMs: number, repeatedMs: number, { isColdStart = false } = {}): CacheWatch {
  const caches = new CacheWatch();
  let at = 0;
  const turn = (text: string, took: number): void => {
    caches.replied(undefined);
    caches.begun(text, { sentAt: instant(at), endedAt: instant(at + took) });
    at += took + 1;
  };
  for (let nth = 0; nth < 40; nth++) {
    turn(isColdStart && nth > 0 ? 'always' : `text ${String(nth)}`, newMs);
    if (isColdStart && nth === 0) turn('always', newMs);
    turn(isColdStart ? 'always' : `text ${String(Math.floor(nth / 2))}`, repeatedMs);
  }
  return caches;
}

test('faster replies to texts that were answered before are a sign of a cache', () => {
  expect(watch(200, 20).signs()).toMatchObject({ marked: 0, speedup: { newMs: 200, repeatedMs: 20 } });
});

test.each([
  ['equal times', watch(200, 190)],
  ['times below a millisecond', watch(0.9, 0.1)],
  ['a slow start of a service that always gets the same text', watch(200, 20, { isColdStart: true })],
  ['no replies', new CacheWatch()],
])('%s are none', (_, caches) => {
  expect(caches.signs()).toBeUndefined();
});

test('a text that is sent again before its first reply is neither new nor repeated', () => {
  const caches = new CacheWatch();
  for (let nth = 0; nth < 100; nth++)
    caches.begun('same', { sentAt: instant(0), endedAt: instant(nth < 50 ? 200 : 1) });
  expect(caches.signs()).toBeUndefined();
});
