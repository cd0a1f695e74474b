import { expect, test } from 'vitest';
import { VirtualClock } from '../../test/virtual-clock.ts';
import { ChatLoadError } from '../base/errors.ts';
import { ms } from '../base/time.ts';
import { Ending } from './ending.ts';

const usage = new ChatLoadError('usage', { message: 'x', hint: 'y' });

test('a drain cuts when the grace period is over, counted from the first drain', async () => {
  const clock = new VirtualClock();
  const ending = new Ending(clock, ms(1000));
  let cutAt: number | undefined;
  ending.brake.when('cut', () => (cutAt = clock.now()));
  ending.drain();
  await clock.run(600);
  ending.drain();
  await clock.run();
  expect(cutAt).toBe(1000);
});

test('closing calls off the cut that is still to come', () => {
  const clock = new VirtualClock();
  const ending = new Ending(clock, ms(1000));
  ending.drain();
  ending.drain();
  ending.close();
  expect(clock.pending).toBe(0);
});

test('signals drain, then cut, and are the reason unless something else was before them', () => {
  const ending = new Ending(new VirtualClock(), ms(1000));
  const [drain, cut] = [new AbortController(), new AbortController()];
  const unfollow = ending.follow(drain.signal, cut.signal);
  drain.abort();
  expect([ending.reason?.kind, ending.brake.reached('drain'), ending.brake.reached('halt')]).toEqual([
    'signal',
    true,
    false,
  ]);
  cut.abort();
  expect(ending.brake.reached('cut')).toBe(true);
  unfollow();
});

test('the first reason stands, but a bug goes before anything', () => {
  const ending = new Ending(new VirtualClock(), ms(1000));
  ending.end({ kind: 'circuit', why: '401' });
  expect([ending.brake.reached('halt'), ending.brake.reached('cut')]).toEqual([true, false]);
  ending.end({ kind: 'scenario_error', error: usage });
  expect(ending.reason?.kind).toBe('circuit');
  ending.end({ kind: 'bug', error: new Error('ours') });
  expect([ending.reason?.kind, ending.brake.reached('cut')]).toEqual(['bug', true]);
});
