import { describe, expect, test } from 'vitest';
import { planFor } from '../../../test/support/synthetic-run.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { instant, ms } from '../../base/time.ts';
import type { TurnEnded } from '../../model-calls/attempt-facts.ts';
import { makeTraceId } from '../../model-calls/trace-id.ts';
import type { TurnClass } from '../../protocol/outcome.ts';
import { newCounters, addCounters } from '../../record/counters.ts';
import { modelOptions } from '../../scenario/model-options.ts';
import { ModelHost } from './model-host.ts';

const run = '0000000a';
const { retry } = planFor();

/** Opens a host on a free port whose CPU usage grows by the given share of a core; its run begins at once. */
async function openHost({ warmUpMs = ms(0) } = {}) {
  const clock = new VirtualClock();
  const cpu = { usedMs: 1000, share: 0 };
  const unused: number[] = [];
  const owner = {
    interval: () => undefined,
    closed: () => undefined,
    costReached: () => undefined,
    unused: (turns: number) => unused.push(turns),
    lostSpans: () => undefined,
  };
  const { calls } = new ModelHost(clock, owner, () => cpu.usedMs);
  const { port } = await calls.open({
    options: modelOptions.parse({ port: 0, latency: 0 }),
    allowHosts: [],
    prices: undefined,
  });
  calls.begin({ id: run, warmUpMs, retry, maxCost: null, shards: 1, startedAt: clock.now() });
  /** Runs for some seconds, with this share of a core in use. */
  const use = async (seconds: number, share: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      cpu.usedMs += 1000 * share;
      await clock.run(clock.now() + 1000);
    }
  };
  const end = async () => {
    const [snapshot] = await clock.finish(calls.end({ elapsedMs: clock.now() }));
    const counters = newCounters();
    for (const total of snapshot?.totals ?? []) if (!total.warmUp) addCounters(counters, total.counters);
    return counters.modelCalls;
  };
  return { clock, calls, port, use, unused, end };
}

describe('a core that the model process uses up', () => {
  test('is counted for each second that ends two seconds of 90 %', async () => {
    const { use, end } = await openHost();
    await use(3, 0.5);
    await use(1, 1);
    await use(3, 0.9);
    await use(2, 0.7);
    // After 100 % and 90 %, and twice after 90 % and 90 %.
    expect((await end()).saturatedSeconds).toBe(3);
  });

  test('is not counted in the warm-up, nor below 90 %', async () => {
    const { use, end } = await openHost({ warmUpMs: ms(6000) });
    await use(4, 1);
    await use(10, 0.85);
    expect((await end()).saturatedSeconds).toBe(0);
  });
});

const turnOf = (session: number, outcome: TurnClass = 'ok'): TurnEnded => ({
  kind: 'turn',
  traceId: makeTraceId(run, { session, turn: 1, attempt: 1 }),
  session,
  turn: 1,
  policy: 0,
  outcome,
  attempts: 1,
  firstSentAt: instant(0),
  endedAt: instant(0),
});
const turns = (count: number, outcome?: TurnClass): TurnEnded[] =>
  Array.from({ length: count }, (_, at) => turnOf(at + 1, outcome));

describe('a model service without calls', () => {
  test('is reported once, after 50 ok or failed turns', async () => {
    const { calls, unused } = await openHost();
    calls.take(turns(30));
    calls.take(turns(40, 'abandoned'));
    calls.take(turns(19, 'timed_out'));
    expect(unused).toEqual([]);
    calls.take(turns(3));
    calls.take(turns(60));
    expect(unused).toEqual([52]);
  });

  test('is not reported after a call, but again in the next run', async () => {
    const { calls, unused, port, clock, end } = await openHost();
    await fetch(`http://127.0.0.1:${String(port)}/v1/models`);
    calls.take(turns(49));
    await fetch(`http://127.0.0.1:${String(port)}/v1/chat/completions`, { method: 'POST', body: '{}' });
    calls.take(turns(100));
    expect(unused).toEqual([]);
    await end();
    calls.begin({ id: run, warmUpMs: ms(0), retry, shards: 1, maxCost: null, startedAt: clock.now() });
    calls.take(turns(50));
    expect(unused).toEqual([50]);
  });
});
