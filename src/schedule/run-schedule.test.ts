import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { instant, later, ms, type Instant } from '../base/time.ts';
import { wholeRun } from '../plan/shard.ts';
import { resolveScenario } from '../plan/resolve-scenario.ts';
import type { LoadOptions, Scenario } from '../scenario/scenario.ts';
import { StopSignal } from './stop/stop-controller.ts';
import { runSchedule } from './run-schedule.ts';
import { Sleeper } from './sleeper.ts';
import type { NotStarted } from './schedule-context.ts';

interface Played {
  number: number;
  due: number;
  startedAt: number;
  endedAt: number;
}

type Stages = NonNullable<LoadOptions['stages']>;

/** Runs a schedule in virtual time with sessions of known length. */
class Stage {
  readonly clock = new VirtualClock();
  readonly stopSignal = new StopSignal();
  readonly played: Played[] = [];
  readonly dropped: number[] = [];
  readonly left: NotStarted[] = [];
  /** Maximum number of created sessions. */
  maxSessions = Infinity;
  /** Time that each start blocks the process, in milliseconds. */
  startCostMs = 0;
  live = 0;
  maxLive = 0;
  endOfDurationAt: number | undefined;
  readonly #scenario: Partial<Scenario>;
  readonly #lengthOf: (number: number) => number;

  constructor(load: LoadOptions, rest: Partial<Scenario> & { lengthOf?: (number: number) => number }) {
    const { lengthOf = () => 1000, ...scenario } = rest;
    this.#scenario = { load, ...scenario };
    this.#lengthOf = lengthOf;
  }

  start(): Promise<void> {
    const { plan } = resolveScenario(
      { name: 'x', messages: ['hi'], ...this.#scenario },
      { flags: {}, environment: {} },
    );
    return runSchedule({
      plan,
      shard: wholeRun,
      clock: this.clock,
      stopSignal: this.stopSignal,
      sleeper: new Sleeper(this.clock, this.stopSignal),
      throttle: { isHolding: false, pass: () => Promise.resolve(undefined) },
      startedAt: this.clock.now(),
      takeSession: () => this.maxSessions-- > 0,
      observer: {
        sessionDropped: (due) => void this.dropped.push(due),
        sessionsNotStarted: (left) => void this.left.push(left),
      },
      play: (number, due) => this.#play(number, due),
      endOfDuration: () => {
        this.endOfDurationAt = this.clock.now();
        this.stopSignal.apply('drain');
      },
    });
  }

  async run(atMs = 0, act: (stage: this) => void = () => undefined): Promise<this> {
    const running = this.start();
    if (atMs > 0) await this.clock.run(atMs);
    act(this);
    await this.clock.finish(running);
    return this;
  }

  get dues(): number[] {
    return this.played.map(({ due }) => due);
  }

  get starts(): number[] {
    return this.played.map(({ startedAt }) => startedAt);
  }

  get notStarted(): number {
    return this.left.reduce((sum, { count }) => sum + count, 0);
  }

  #play(number: number, due: Instant): Promise<Instant> {
    const startedAt = this.clock.now();
    this.clock.stall(this.startCostMs);
    this.live += 1;
    this.maxLive = Math.max(this.maxLive, this.live);
    const endedAt = later(startedAt, ms(this.#lengthOf(number)));
    this.played.push({ number, due, startedAt, endedAt });
    return new Promise((resolve) => {
      this.clock.wakeAt(endedAt, () => {
        this.live -= 1;
        resolve(endedAt);
      });
    });
  }
}

describe('closed load', () => {
  test('runs the configured number of concurrent sessions until the count is reached', async () => {
    const stage = await new Stage({ concurrency: 3 }, { sessions: 10 }).run();
    expect(stage.played.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect([stage.maxLive, stage.live, stage.notStarted, stage.clock.now()]).toEqual([3, 0, 0, 4000]);
  });

  test('has a session due when its slot is free: at the end of the previous session', async () => {
    const stage = await new Stage({ concurrency: 2 }, { sessions: 6, lengthOf: (n) => (n === 1 ? 2500 : 1000) }).run();
    expect(stage.dues).toEqual([0, 0, 1000, 2000, 2500, 3000]);
    expect(stage.starts).toEqual(stage.dues);
  });

  test('starts no session after the duration, and leaves active ones alone', async () => {
    const stage = await new Stage({ concurrency: 2 }, { duration: '2.5s' }).run();
    expect(stage.dues).toEqual([0, 0, 1000, 1000, 2000, 2000]);
    expect([stage.endOfDurationAt, stage.notStarted]).toEqual([2500, 0]);
  });

  test('ramps up one slot at a time, each due when its slot opens', async () => {
    const stage = await new Stage({ concurrency: 5, rampUp: '10s' }, { duration: '10s', lengthOf: () => 60_000 }).run();
    expect(stage.dues).toEqual([0, 2000, 4000, 6000, 8000]);
  });

  test('lets other timers fire while a ramp falls behind because starts are slow', async () => {
    const stage = new Stage({ concurrency: 1000, rampUp: '500ms' }, { duration: '2s', lengthOf: () => 60_000 });
    stage.startCostMs = 1;
    const firedAt = new Promise<number>((resolve) =>
      stage.clock.wakeAt(instant(100), () => resolve(stage.clock.now())),
    );
    await stage.run();
    expect(await firedAt).toBeLessThan(150);
    expect(stage.played).toHaveLength(1000);
    expect(stage.dues.at(-1)).toBeLessThan(500);
  });

  test('ramps down without interrupting a session', async () => {
    const stages: Stages = [
      { duration: 0, concurrency: 4 },
      { duration: '4s', concurrency: 0 },
    ];
    const stage = await new Stage({ stages }, { lengthOf: () => 1501 }).run();
    expect(stage.played.every(({ startedAt, endedAt }) => endedAt - startedAt === 1501)).toBe(true);
    // Levels 4, 3, 2, 1 hold until 1, 2, 3 and 4 s: at 1.501 s three slots are left, at 3.002 s one.
    expect(stage.dues).toEqual([0, 0, 0, 0, 1501, 1501, 1501, 3002]);
  });

  test('stops waiting for the ramp when the count is reached', async () => {
    const stage = await new Stage({ concurrency: 2, rampUp: '1h' }, { sessions: 2 }).run();
    expect([stage.clock.now(), stage.clock.pending]).toEqual([2000, 0]);
  });

  test('counts the sessions that a drain left unstarted', async () => {
    const stage = await new Stage({ concurrency: 2 }, { sessions: 10, retry: { a: 'none', b: 'none', c: 'none' } }).run(
      1500,
      ({ stopSignal }) => stopSignal.apply('drain'),
    );
    expect(stage.played).toHaveLength(4);
    expect(stage.left.map(({ count, policy, becameDue }) => [policy, count, becameDue])).toEqual([
      [1, 2, false],
      [2, 2, false],
      [0, 2, false],
    ]);
  });

  test('keeps its bound and runs every session number once, whatever the lengths', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.nat(5000), { minLength: 1 }),
        async (concurrency, sessions, lengths) => {
          const stage = await new Stage(
            { concurrency },
            { sessions, lengthOf: (n) => lengths[n % lengths.length] ?? 0 },
          ).run();
          expect(stage.played.map(({ number }) => number)).toEqual(Array.from({ length: sessions }, (_, i) => i + 1));
          expect(stage.maxLive).toBeLessThanOrEqual(concurrency);
          expect(stage.clock.pending).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('open load', () => {
  test('starts sessions when they are due, however long they last', async () => {
    const stage = await new Stage({ sessionsPerSecond: 20 }, { duration: '10s', lengthOf: () => 5000 }).run();
    expect(stage.dues).toEqual(Array.from({ length: 200 }, (_, i) => i * 50));
    expect(stage.starts).toEqual(stage.dues);
    expect([stage.maxLive, stage.endOfDurationAt]).toEqual([100, 10_000]);
  });

  test('stops after the count', async () => {
    const stage = await new Stage({ sessionsPerSecond: 2 }, { sessions: 5 }).run();
    expect([stage.dues, stage.notStarted]).toEqual([[0, 500, 1000, 1500, 2000], 0]);
  });

  test('lets a session wait for a slot and keeps its due instant', async () => {
    const stage = await new Stage(
      { sessionsPerSecond: 1, maxConcurrency: 1 },
      { sessions: 3, lengthOf: () => 1500 },
    ).run();
    expect(stage.played.map(({ due, startedAt }) => [due, startedAt])).toEqual([
      [0, 0],
      [1000, 1500],
      [2000, 3000],
    ]);
    expect(stage.maxLive).toBe(1);
  });

  test('is over with the last session of the count, however late that one started', async () => {
    const load: LoadOptions = { sessionsPerSecond: 1, maxConcurrency: 1 };
    const waited = await new Stage(load, { sessions: 3, lengthOf: () => 1500 }).run();
    expect([waited.played.length, waited.notStarted]).toEqual([3, 0]);

    const stalled = await new Stage({ sessionsPerSecond: 100 }, { sessions: 300 }).run(2500, ({ clock }) =>
      clock.stall(2000),
    );
    expect([stalled.played.length, stalled.notStarted]).toEqual([300, 0]);
  });

  test('drops a session without a free slot if the scenario sets `drop`', async () => {
    const stage = await new Stage(
      { sessionsPerSecond: 1, maxConcurrency: 1, whenFull: 'drop' },
      { sessions: 4, lengthOf: () => 1500 },
    ).run();
    expect([stage.dues, stage.dropped, stage.notStarted]).toEqual([[0, 2000], [1000, 3000], 0]);
  });

  test('counts sessions that were due and waiting when the duration ended', async () => {
    const stage = await new Stage(
      { sessionsPerSecond: 1, maxConcurrency: 1 },
      { duration: '5s', lengthOf: () => 60_000 },
    ).run();
    expect(stage.dues).toEqual([0]);
    expect(stage.left).toEqual([{ count: 4, policy: 0, becameDue: true, due: 1000 }]);
  });

  test('separates due sessions from sessions that never became due when it is drained', async () => {
    const stage = await new Stage(
      { sessionsPerSecond: 1, maxConcurrency: 1 },
      { sessions: 100, lengthOf: () => 3500 },
    ).run(3200, ({ stopSignal }) => stopSignal.apply('drain'));
    expect(stage.dues).toEqual([0]);
    expect(stage.left.map(({ count, becameDue }) => [count, becameDue])).toEqual([
      [3, true],
      [96, false],
    ]);
  });

  test('never compensates for a stall of the generator in a burst', async () => {
    const stage = await new Stage({ sessionsPerSecond: 100 }, { duration: '60s', lengthOf: () => 10 }).run(
      5000,
      ({ clock }) => clock.stall(2000),
    );
    const startsIn = (from: number, to: number): number => stage.starts.filter((at) => at >= from && at < to).length;
    // 100/s are configured: a tenth more, plus once the starts of 100 ms.
    for (let from = 7000; from < 40_000; from += 500)
      expect(startsIn(from, from + 500)).toBeLessThanOrEqual(50 * 1.1 + 13);
    expect(stage.dues).toEqual(Array.from({ length: 6000 }, (_, i) => i * 10));
    const late = stage.played.filter(({ due, startedAt }) => startedAt - due > 1);
    // 2 s minus 0.1 s are caught up at a tenth above the pace, which takes 19 to 22 s.
    expect(late.length).toBeGreaterThan(1900);
    expect(late.length).toBeLessThan(2400);
  });

  test('lets waiting sessions follow as fast as slots become free', async () => {
    const load: LoadOptions = { sessionsPerSecond: 10, maxConcurrency: 2 };
    const stage = await new Stage(load, { sessions: 60, lengthOf: (n) => (n <= 2 ? 2000 : 50) }).run();
    const late = stage.played.filter(({ due, startedAt }) => startedAt > due + 1);
    // 2 s of silence leave 18 waiting; two slots of 50 ms run 40 per second, 10 of them new: over 0.6 s later.
    expect(late.at(-1)?.startedAt).toBeGreaterThan(2500);
    expect(late.at(-1)?.startedAt).toBeLessThan(2700);
  });

  test('leaves no timer when it is drained while it waits', async () => {
    const stage = await new Stage({ sessionsPerSecond: 0.01 }, { duration: '1h' }).run(5000, ({ stopSignal }) =>
      stopSignal.apply('drain'),
    );
    expect([stage.clock.now(), stage.clock.pending]).toEqual([instant(5000), 0]);
  });
});
