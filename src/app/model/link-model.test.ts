import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { planFor } from '../../../test/support/synthetic-run.ts';
import { instant, ms } from '../../base/time.ts';
import { createRecorder } from '../../record/recorder.ts';
import type { Snapshot } from '../../record/snapshot.ts';
import type { RunOutcome } from '../../run.ts';
import { linkModel } from './link-model.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const plan = planFor({});
const snapshot = createRecorder({ plan, startedAt: instant(0) }).snapshot(instant(1000));
const outcome: RunOutcome = { snapshot, elapsedMs: ms(1000), stop: undefined, warnings: [] };

function link(end: () => Promise<readonly Snapshot[] | undefined>) {
  const unused = () => Promise.reject(new Error('not called'));
  const model = {
    host: '',
    port: 0,
    pid: 0,
    begin: () => undefined,
    take: () => undefined,
    seen: unused,
    close: unused,
  };
  return linkModel({ ...model, end }, { resolved: { plan }, run: 'a', shards: 1, warn: () => undefined });
}

describe('the end of a run with a model service', () => {
  test('waits for its calls', async () => {
    const ended = link(() => Promise.resolve([snapshot])).withCalls(outcome);
    expect((await ended).stop).toBeUndefined();
  });

  test.each([
    ['has ended', () => Promise.resolve(undefined)],
    ['does not answer', () => new Promise<never>(() => undefined)],
  ])('is a loss if the service %s', async (_, end) => {
    const ended = link(end).withCalls(outcome);
    await vi.advanceTimersByTimeAsync(30_000);
    expect((await ended).stop).toMatchObject({ kind: 'model_lost', atMs: 1000 });
  });

  test('keeps an earlier reason', async () => {
    const stop = { kind: 'max_duration', why: 'ended', atMs: ms(900) } as const;
    const ended = await link(() => Promise.resolve(undefined)).withCalls({ ...outcome, stop });
    expect(ended.stop).toEqual(stop);
  });
});
