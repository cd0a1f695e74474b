import { describe, expect, test } from 'vitest';
import { instant, ms } from '../../src/base/time.ts';
import { leadOf } from '../../src/fleet/coordinator.ts';
import type { FromShard } from '../../src/fleet/messages.ts';
import { resolveScenario, type ResolvedScenario } from '../../src/plan/resolve-scenario.ts';
import { mergeSnapshots } from '../../src/record/snapshot.ts';
import { assembleSections } from '../../src/result/assembly/assemble-sections.ts';
import { assertBooks } from '../../src/result/books/assert-books.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { bucketCount, fullHdr, inflatingHdr } from '../support/bombs.ts';
import { byText, serviceByText, spoken, twoPolicies, type Reply, type Seen } from '../support/service-by-text.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { coordinateVirtually, VirtualShards, type Coordinated, type Interference } from '../support/virtual-fleet.ts';

const scenario: Partial<Scenario> = {
  ...spoken,
  ...twoPolicies,
  duration: '20s',
  gracePeriod: '3s',
  load: { sessionsPerSecond: 20, arrivals: 'poisson' },
};

interface Ran extends Coordinated {
  resolved: ResolvedScenario;
  shards: VirtualShards;
  seen: Seen[];
}

/** Runs a scenario over this number of shards. */
async function coordinated(
  count: number,
  given: Partial<Scenario> = scenario,
  { takes = byText(), ...interference }: Interference & { takes?: (text: string) => Reply } = {},
  clock = new VirtualClock(),
): Promise<Ran> {
  const resolved = resolveScenario({ name: 'x', ...given }, { flags: {}, environment: {} });
  const seen: Seen[] = [];
  const shards = new VirtualShards(count, {
    resolved,
    clock,
    send: serviceByText(clock, takes, seen),
    ...interference,
  });
  return { ...(await coordinateVirtually(resolved, shards, { clock })), resolved, shards, seen };
}

type ShardMessage<Kind extends FromShard['kind']> = Extract<FromShard, { kind: Kind }>;

const isOf =
  (...kinds: FromShard['kind'][]) =>
  ({ kind }: FromShard): boolean =>
    kinds.includes(kind);

const lostOf = ({ outcome }: Coordinated) => outcome.workers.map(({ lost }) => lost?.reason ?? null);

const brokenOf = ({ resolved, outcome }: Ran) =>
  assertBooks(resolved.plan, outcome.snapshot).filter(({ holds }) => !holds);

describe('a coordinator', () => {
  test('produces the figures of one process, and a journal that adds up to them', async () => {
    const [one, three] = await Promise.all([coordinated(1), coordinated(3)]);
    expect(three.outcome.stop).toBeUndefined();
    expect(three.outcome.snapshot.totals).toEqual(one.outcome.snapshot.totals);
    expect(three.outcome.snapshot.intervals).toEqual(one.outcome.snapshot.intervals);
    const [first, ...rest] = three.pieces;
    if (first === undefined) throw new Error('there is no journal');
    const journal = mergeSnapshots(first, ...rest);
    expect(journal.totals).toEqual(three.outcome.snapshot.totals);
    expect(journal.levels).toEqual(three.outcome.snapshot.levels);
    expect(brokenOf(three)).toEqual([]);
    expect(lostOf(three)).toEqual([null, null, null]);
  });

  test('warns if each shard has only some retry policies, and not if every shard has all', async () => {
    const [apart, together] = await Promise.all([coordinated(2), coordinated(3)]);
    expect(apart.outcome.warnings.map(({ code }) => code)).toEqual(['policies_apart']);
    expect(together.outcome.warnings).toEqual([]);
    const verdictOf = ({ resolved, outcome }: Ran) =>
      assembleSections(resolved.plan, outcome.snapshot, 'whole').retries.verdict;
    expect(verdictOf(apart)).toBeNull();
    expect(verdictOf(together)).not.toBeNull();
  });

  test('measures how late each shard began', async () => {
    const { outcome } = await coordinated(3, scenario, { lateMs: (shard) => [0, 7, 3][shard] ?? 0 });
    expect(outcome.workers.map(({ startLateMs }) => startLateMs)).toEqual([0, 7, 3]);
  });

  test('counts a duplicate once, and a late entry in its interval', async () => {
    const whole = await coordinated(2);
    const held: FromShard[] = [];
    const disturbed = await coordinated(2, scenario, {
      pass: (shard, message, atMs) => {
        if (shard === 0 || !isOf('piece')(message)) return [message];
        if (atMs > 5000 && atMs < 9000) return (held.push(message), []);
        return [...held.splice(0), message, message];
      },
    });
    expect(disturbed.outcome.snapshot.totals).toEqual(whole.outcome.snapshot.totals);
    expect(disturbed.outcome.snapshot.intervals).toEqual(whole.outcome.snapshot.intervals);
    const exact = ({ outcome }: Ran) =>
      outcome.snapshot.levels.map((each) => ({ ...each, maxSessions: 0, maxTurns: 0 }));
    expect(exact(disturbed)).toEqual(exact(whole));
  });

  test('gives up a shard that is silent for 4 s, and counts its work in flight as lost', async () => {
    const ran = await coordinated(3, scenario, {
      pass: (shard, message, atMs) => (shard === 1 && atMs > 8000 ? [] : [message]),
    });
    expect(lostOf(ran)).toEqual([null, 'it sent nothing for 4.5 s', null]);
    expect(ran.shards.abandoned).toEqual([1]);
    expect(ran.outcome.workers[1]?.lost?.atMs).toBeLessThanOrEqual(8000);
    expect(brokenOf(ran)).toEqual([]);
    const lost = ran.outcome.snapshot.totals.reduce((sum, { counters }) => sum + (counters.sessions?.['lost'] ?? 0), 0);
    expect(lost).toBeGreaterThan(0);
  });

  test.each([
    ['its interval 4 did not arrive', (message: FromShard) => !(message.kind === 'piece' && message.number === 4)],
    ['of its intervals did not arrive', (message: FromShard) => !(message.kind === 'piece' && message.number > 18)],
  ])('gives up a shard if %s', async (reason, passes) => {
    const ran = await coordinated(2, scenario, {
      pass: (shard, message) => (shard === 1 && !passes(message) ? [] : [message]),
    });
    expect(lostOf(ran)[1]).toContain(reason);
    expect(brokenOf(ran)).toEqual([]);
  });

  test('gives up a shard whose intervals have invalid histograms, and counts nothing of that interval', async () => {
    const spoil = (message: FromShard): FromShard =>
      message.kind === 'piece' && message.number === 3
        ? (JSON.parse(JSON.stringify(message).replace(/"hdr":"[^"]*"(?=[^]*$)/, '"hdr":"AAAA"')) as FromShard)
        : message;
    const ran = await coordinated(2, scenario, { pass: (shard, message) => [shard === 1 ? spoil(message) : message] });
    expect(lostOf(ran)[1]).toContain('could not be read');
    expect(brokenOf(ran)).toEqual([]);
  });

  test('gives up a shard that publishes a histogram of 300 MB or hundreds of intervals at once, without allocating memory for it', async () => {
    const bomb = inflatingHdr(300_000_000);
    const spoils: readonly ((message: ShardMessage<'piece'>) => FromShard)[] = [
      (message) => JSON.parse(JSON.stringify(message).replace(/"hdr":"[^"]*"/, `"hdr":"${bomb}"`)) as FromShard,
      ({ piece, ...rest }) => {
        const full = JSON.stringify(piece.intervals).replaceAll(
          /"count":\d+(,[^{}]*)"hdr":"[^"]*"/g,
          `"count":${String(bucketCount)}$1"hdr":"${fullHdr()}"`,
        );
        const intervals = Array.from({ length: 600 }, () => JSON.parse(full) as typeof piece.intervals).flat();
        return { ...rest, piece: { ...piece, intervals } };
      },
    ];
    const before = process.resourceUsage().maxRSS;
    for (const spoil of spoils) {
      const ran = await coordinated(2, scenario, {
        pass: (shard, message) => [
          shard === 1 && message.kind === 'piece' && message.number === 3 ? spoil(message) : message,
        ],
      });
      expect(lostOf(ran)).toEqual([null, expect.stringMatching(/could not be read|of another time/)]);
      expect(brokenOf(ran)).toEqual([]);
    }
    expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(400);
  });

  test('loses nobody while the way to all is interrupted for less than 10 s', async () => {
    const clock = new VirtualClock();
    const held: (readonly [number, FromShard])[] = [];
    const gap = { from: 5000, to: 11_000 };
    const isOpen = (atMs: number): boolean => atMs < gap.from || atMs >= gap.to;
    const ran = await coordinated(
      2,
      scenario,
      {
        pass: (shard, message, atMs) => {
          if (!isOpen(atMs)) return (held.push([shard, message]), []);
          const mine = held.filter(([of]) => of === shard).map(([, each]) => each);
          held.splice(0, held.length, ...held.filter(([of]) => of !== shard));
          return [...mine, message];
        },
        interruptedSince: () => (isOpen(clock.now() - 220) ? undefined : instant(gap.from + 220)),
      },
      clock,
    );
    expect(lostOf(ran)).toEqual([null, null]);
    expect(ran.outcome.snapshot.totals).toEqual((await coordinated(2)).outcome.snapshot.totals);
  });

  test('ends with the published intervals if the connection to all stays interrupted', async () => {
    const clock = new VirtualClock();
    const ran = await coordinated(
      2,
      { ...scenario, duration: '60s' },
      {
        pass: (_, message, atMs) => (atMs > 5000 ? [] : [message]),
        interruptedSince: () => (clock.now() > 5220 ? instant(5220) : undefined),
      },
      clock,
    );
    expect(ran.outcome.stop).toMatchObject({ kind: 'fleet_lost' });
    expect(ran.outcome.stop?.atMs).toBeLessThan(16_000);
    expect(brokenOf(ran)).toEqual([]);
  });

  test('stops when no shard remains, and reports why the last one was lost', async () => {
    const clock = new VirtualClock();
    const resolved = resolveScenario({ name: 'x', ...scenario }, { flags: {}, environment: {} });
    const shards = new VirtualShards(2, { resolved, clock, send: serviceByText(clock, byText(), []) });
    clock.wakeAt(instant(4000), () => shards.leave(0, 'its process ended with code 1'));
    clock.wakeAt(instant(6000), () => shards.leave(1, 'its process was ended by SIGKILL'));
    const { outcome } = await coordinateVirtually(resolved, shards, { clock });
    expect(outcome.stop).toMatchObject({ kind: 'fleet_lost', why: expect.stringContaining('SIGKILL') as string });
    expect(outcome.workers.map(({ lost }) => lost === null)).toEqual([false, false]);
  });

  test('counts the work of a shard that was stopped on its own machine, and the rest of its load as lost', async () => {
    const clock = new VirtualClock();
    const resolved = resolveScenario({ name: 'x', ...scenario }, { flags: {}, environment: {} });
    const shards = new VirtualShards(2, { resolved, clock, send: serviceByText(clock, byText(), []) });
    clock.wakeAt(instant(5000), () => shards.stopThere(1));
    const { outcome } = await coordinateVirtually(resolved, shards, { clock });
    expect(outcome.stop).toBeUndefined();
    expect(outcome.elapsedMs).toBeGreaterThan(19_000);
    expect(outcome.workers.map(({ lost }) => lost?.reason ?? null)).toEqual([null, 'it was stopped by its worker']);
    expect(assertBooks(resolved.plan, outcome.snapshot).filter(({ holds }) => !holds)).toEqual([]);
    const lost = outcome.snapshot.totals.reduce((sum, { counters }) => sum + (counters.sessions?.['lost'] ?? 0), 0);
    expect(lost).toBe(0);
  });

  test('does not report an unusable target that works for one shard', async () => {
    // Sessions of even numbers are the second shard's.
    const takes = (text: string): Reply => ({ afterMs: 5, status: Number(text.split(' ')[0]) % 2 === 0 ? 404 : 200 });
    const ran = await coordinated(2, { ...scenario, load: { concurrency: 40 } }, { takes });
    expect(ran.outcome.stop).toBeUndefined();
    const all = await coordinated(
      2,
      { ...scenario, load: { concurrency: 40 } },
      { takes: () => ({ afterMs: 5, status: 404 }) },
    );
    expect(all.outcome.stop).toMatchObject({ kind: 'target_unfit' });
  });

  test('judges a run of a few sessions by all of its shards, finished ones included', async () => {
    const few = { ...spoken, sessions: 4, turns: 1, load: { concurrency: 4 } };
    const refused = await coordinated(2, few, { takes: () => ({ afterMs: 5, status: 404 }) });
    expect(refused.outcome.stop).toMatchObject({ kind: 'target_unfit', why: expect.stringMatching(/^none of the first 4/) as string }); // prettier-ignore
    // The first shard has ended well long before the second one ends with nothing but refusals.
    const takes = (text: string): Reply =>
      Number(text.split(' ')[0]) % 2 === 0 ? { afterMs: 9000, status: 404 } : { afterMs: 5, status: 200 };
    const mixed = await coordinated(2, few, { takes });
    expect(mixed.outcome.stop).toBeUndefined();
  });

  test('judges a run by finished turns, not by attempts that were to be retried when it ended', async () => {
    const few = {
      ...spoken,
      sessions: 2,
      turns: 1,
      load: { concurrency: 2 },
      maxDuration: '300ms',
      gracePeriod: '100ms',
      retry: { base: '10s', jitter: 'none' },
    } as const;
    const ended = await coordinated(2, few, {
      takes: (text) => ({ afterMs: 5, status: Number(text.split(' ')[0]) % 2 === 0 ? 404 : 500 }),
    });
    expect(ended.outcome.stop).toMatchObject({ kind: 'target_unfit' });
  });

  test('stops when no turn of any shard was ok for too long, not when one of them was', async () => {
    const stopWhen = { noSuccess: '5s' as const };
    const outage =
      (isHit: (session: number) => boolean) =>
      (text: string): Reply => ({
        afterMs: 50,
        status: isHit(Number(text.split(' ')[0])) ? 503 : 200,
      });
    const hopeful = await coordinated(
      2,
      { ...scenario, stopWhen, retry: 'none' },
      { takes: outage((session) => session > 40 && session % 2 === 0) },
    );
    expect(hopeful.outcome.stop).toBeUndefined();
    const hopeless = await coordinated(
      2,
      { ...scenario, stopWhen, retry: 'none' },
      { takes: outage((session) => session > 40) },
    );
    expect(hopeless.outcome.stop).toMatchObject({ kind: 'no_success' });
  });

  test('stops all shards for the failures observed by one', async () => {
    const takes = (text: string): Reply => ({ afterMs: 20, status: text.startsWith('40 ') ? 401 : 200 });
    const ran = await coordinated(3, scenario, { takes });
    expect(ran.outcome.stop).toMatchObject({ kind: 'circuit' });
    expect(ran.shards.told).toContainEqual({ kind: 'stop', level: 'halt' });
    const last = Math.max(...ran.seen.map(({ sentAt }) => sentAt));
    expect(last).toBeLessThanOrEqual((ran.outcome.stop?.atMs ?? 0) + leadOf(3));
    expect(brokenOf(ran)).toEqual([]);
  });
});

describe('before the start', () => {
  const start = (
    first: (shard: number) => FromShard | undefined,
    effects: { drain?: AbortSignal; halt?: AbortSignal } = {},
  ) => {
    const clock = new VirtualClock();
    const resolved = resolveScenario({ name: 'x', ...scenario }, { flags: {}, environment: {} });
    const shards = new VirtualShards(2, { resolved, clock, send: () => Promise.reject(new Error('sent')), first });
    return coordinateVirtually(resolved, shards, { clock, readyWithinMs: ms(5000), ...effects });
  };
  const second = (message: FromShard) => (shard: number) => (shard === 1 ? message : undefined);

  test('a shard that refuses, fails or is not ready in time ends the run with its reason', async () => {
    const refused = second({
      kind: 'refused',
      host: 'a-host',
      code: 'usage',
      message: 'it is another scenario there',
      hint: 'Check out.',
    });
    await expect(start(refused)).rejects.toMatchObject({
      code: 'usage',
      message: /Shard 1, on a-host, .*it is another scenario there/,
    });
    const failed = second({ kind: 'failed', message: 'out of memory' });
    await expect(start(failed)).rejects.toMatchObject({ code: 'environment', message: /Shard 1 .*out of memory/ });
    const silent = second({ kind: 'warning', warning: { code: 'a', message: 'b', remedy: null } });
    await expect(start(silent)).rejects.toMatchObject({
      code: 'environment',
      message: /1 shard of 2 was not ready within 5 s: 1/,
    });
  });

  test('a signal ends the wait, and so does a halt', async () => {
    const silent = second({ kind: 'warning', warning: { code: 'a', message: 'b', remedy: null } });
    const stopped = { message: expect.stringMatching(/Stopped while waiting/) as string };
    await expect(start(silent, { drain: AbortSignal.abort() })).rejects.toMatchObject(stopped);
    await expect(start(silent, { halt: AbortSignal.abort() })).rejects.toMatchObject(stopped);
  });
});
