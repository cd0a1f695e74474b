import { expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { ms } from '../../base/time.ts';
import { StopController } from './stop-controller.ts';

const usage = new ChatLoadError('usage', { message: 'x', hint: 'y' });

test('a drain cuts when the grace period is over, counted from the first drain', async () => {
  const clock = new VirtualClock();
  const stopController = new StopController(clock, ms(1000));
  let cutAt: number | undefined;
  stopController.stopSignal.when('cut', () => (cutAt = clock.now()));
  stopController.drain();
  await clock.run(600);
  stopController.drain();
  await clock.run();
  expect(cutAt).toBe(1000);
});

test('closing cancels the pending cut', () => {
  const clock = new VirtualClock();
  const stopController = new StopController(clock, ms(1000));
  stopController.drain();
  stopController.drain();
  stopController.close();
  expect(clock.pending).toBe(0);
});

test('signals drain, then cut, and are the reason unless something else was before them', () => {
  const stopController = new StopController(new VirtualClock(), ms(1000));
  const [drain, cut] = [new AbortController(), new AbortController()];
  const unfollow = stopController.follow({ drain: drain.signal, cut: cut.signal });
  drain.abort();
  expect([
    stopController.reason?.kind,
    stopController.stopSignal.reached('drain'),
    stopController.stopSignal.reached('halt'),
  ]).toEqual(['signal', true, false]);
  cut.abort();
  expect(stopController.stopSignal.reached('cut')).toBe(true);
  unfollow();
});

test.each([
  ['SIGTERM', 'SIGTERM'],
  [undefined, undefined],
  ['enough', undefined],
])('an abort with %s gives the run a reason that names %s', (reason, name) => {
  const stopController = new StopController(new VirtualClock(), ms(1000));
  const [drain, cut] = [new AbortController(), new AbortController()];
  const unfollow = stopController.follow({ drain: drain.signal, cut: cut.signal });
  drain.abort(reason);
  expect(stopController.reason).toEqual({ kind: 'signal', name, atMs: 0 });
  unfollow();
});

test('a signal aborted with an error reports that code of the caller failed', () => {
  const stopController = new StopController(new VirtualClock(), ms(1000));
  const unfollow = stopController.follow({ drain: new AbortController().signal, cut: AbortSignal.abort(usage) });
  expect([stopController.reason, stopController.stopSignal.reached('cut')]).toEqual([
    { kind: 'caller_error', error: usage, atMs: 0 },
    true,
  ]);
  unfollow();
});

test('the first reason is kept, but a bug outranks any', () => {
  const stopController = new StopController(new VirtualClock(), ms(1000));
  stopController.end({ kind: 'circuit', why: '401' });
  expect([stopController.stopSignal.reached('halt'), stopController.stopSignal.reached('cut')]).toEqual([true, false]);
  stopController.end({ kind: 'scenario_error', error: usage });
  expect(stopController.reason?.kind).toBe('circuit');
  stopController.end({ kind: 'bug', error: new Error('ours') });
  expect([stopController.reason?.kind, stopController.stopSignal.reached('cut')]).toEqual(['bug', true]);
});

test('a cap on sessions ends a run as their number does: turns in flight have all the time they need', () => {
  const clock = new VirtualClock();
  const stopController = new StopController(clock, ms(1000));
  stopController.end({ kind: 'cap', of: 'sessions', why: 'enough' });
  expect([
    stopController.stopSignal.reached('drain'),
    stopController.stopSignal.reached('halt'),
    clock.pending,
  ]).toEqual([true, false, 0]);
});

test.each(['turns', 'cost'] as const)('a cap on %s halts a run: nothing more is sent', (of) => {
  const stopController = new StopController(new VirtualClock(), ms(1000));
  stopController.end({ kind: 'cap', of, why: 'enough' });
  expect([stopController.stopSignal.reached('halt'), stopController.stopSignal.reached('cut')]).toEqual([true, false]);
});

test('a journal that fails drains; once the run is over it changes nothing, and no timer is left', async () => {
  const error = new ChatLoadError('environment', { message: 'the disk is full', hint: 'Make room.' });
  const clock = new VirtualClock();
  const stopController = new StopController(clock, ms(1000));
  stopController.end({ kind: 'journal', error });
  expect([
    stopController.reason,
    stopController.stopSignal.reached('drain'),
    stopController.stopSignal.reached('halt'),
  ]).toEqual([{ kind: 'journal', error, atMs: 0 }, true, false]);
  await clock.run();
  expect([stopController.stopSignal.reached('cut'), Number(clock.now())]).toEqual([true, 1000]);

  const over = new StopController(clock, ms(1000));
  over.close();
  over.end({ kind: 'journal', error });
  expect([over.reason, clock.pending]).toEqual([undefined, 0]);
});
