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

test('a cap on sessions ends a run as their number does: what is under way has all the time it needs', () => {
  const clock = new VirtualClock();
  const ending = new Ending(clock, ms(1000));
  ending.end({ kind: 'cap', of: 'sessions', why: 'enough' });
  expect([ending.brake.reached('drain'), ending.brake.reached('halt'), clock.pending]).toEqual([true, false, 0]);
});

test.each(['turns', 'cost'] as const)('a cap on %s halts a run: nothing more is sent', (of) => {
  const ending = new Ending(new VirtualClock(), ms(1000));
  ending.end({ kind: 'cap', of, why: 'enough' });
  expect([ending.brake.reached('halt'), ending.brake.reached('cut')]).toEqual([true, false]);
});

test('a journal that fails drains; once the run is over it changes nothing, and no timer is left', async () => {
  const error = new ChatLoadError('environment', { message: 'the disk is full', hint: 'Make room.' });
  const clock = new VirtualClock();
  const ending = new Ending(clock, ms(1000));
  ending.end({ kind: 'journal', error });
  expect([ending.reason, ending.brake.reached('drain'), ending.brake.reached('halt')]).toEqual([
    { kind: 'journal', error, atMs: 0 },
    true,
    false,
  ]);
  await clock.run();
  expect([ending.brake.reached('cut'), Number(clock.now())]).toEqual([true, 1000]);

  const over = new Ending(clock, ms(1000));
  over.close();
  over.end({ kind: 'journal', error });
  expect([over.reason, clock.pending]).toEqual([undefined, 0]);
});
