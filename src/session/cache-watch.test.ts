import { expect, test } from 'vitest';
import { instant } from '../base/time.ts';
import { CacheWatch, isFaster } from './cache-watch.ts';

/** Ends first turns one after another: new texts after some time, repeated ones after another. Returns the share of faster repeats. */
function fasterShare(newMs: number, repeatedMs: number, { isColdStart = false } = {}): number {
  const caches = new CacheWatch();
  let at = 0;
  const turn = (text: string, took: number) => {
    const compared = caches.begun(text, { sentAt: instant(at), endedAt: instant(at + took) });
    at += took + 1;
    return compared;
  };
  const found = Array.from({ length: 40 }, (_, nth) => [
    ...turn(isColdStart && nth > 0 ? 'always' : `text ${String(nth)}`, newMs),
    ...(isColdStart && nth === 0 ? turn('always', newMs) : []),
    ...turn(isColdStart ? 'always' : `text ${String(Math.floor(nth / 2))}`, repeatedMs),
  ]).flat();
  const faster = found.filter((each) => isFaster(each.newMs, each.repeatedMs));
  return found.length < 10 ? 0 : faster.length / found.length;
}

test('faster replies to texts that were answered before are found', () => {
  expect(fasterShare(200, 20)).toBe(1);
});

test.each([
  ['equal times', fasterShare(200, 190)],
  ['times below a millisecond', fasterShare(0.9, 0.1)],
  ['a slow start of a service that always gets the same text', fasterShare(200, 20, { isColdStart: true })],
])('%s are none', (_, share) => {
  expect(share).toBe(0);
});

test('a text that is sent again before its first reply is neither new nor repeated', () => {
  const caches = new CacheWatch();
  for (let nth = 0; nth < 100; nth++) {
    const times = { sentAt: instant(0), endedAt: instant(nth < 50 ? 200 : 1) };
    expect(caches.begun('same', times)).toEqual([]);
  }
});

test('a reply is compared with the slower of the repeated ones next to it, and with none that is far away', () => {
  const caches = new CacheWatch();
  let at = 0;
  const turn = (text: string, took: number) =>
    caches.begun(text, { sentAt: instant(at), endedAt: instant((at += took)) });
  turn('a', 9);
  turn('a', 30);
  turn('b', 100);
  expect(turn('a', 20)).toEqual([{ newMs: 100, repeatedMs: 30 }]);
  for (let nth = 0; nth < 40; nth++) turn(`far ${String(nth)}`, 100);
  expect(turn('a', 20)).toEqual([]);
});
