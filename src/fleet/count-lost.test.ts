import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planFor } from '../../test/support/synthetic-run.ts';
import { snapshotOf } from '../../test/support/synthetic-result.ts';
import { witness, type Served, type ServiceModel } from '../../test/support/virtual-run.ts';
import { instant } from '../base/time.ts';
import { randomOf } from '../base/random.ts';
import { wholeRun } from '../plan/shard.ts';
import { sumCounters, total, type Counters } from '../record/counters.ts';
import { type Snapshot, mergeSnapshots } from '../record/snapshot.ts';
import { assertBooks } from '../result/books/assert-books.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { countLost, type LostShard } from './count-lost.ts';

/** Slow enough that much is in progress at every instant, with retried and final failures of every kind. */
function failing(seed: number): ServiceModel {
  const random = randomOf(seed);
  const status = (): number => ([200, 200, 200, 200, 429, 500, 404] as const)[Math.floor(random() * 7)] ?? 200;
  return (operation) => ({
    afterMs: Math.ceil(random() * 1500),
    ...(random() < 0.1 ? { failure: 'connection_lost' as const } : {}),
    status: operation === 'create' && random() < 0.7 ? 201 : status(),
  });
}

const course = fc.record({
  seed: fc.integer({ min: 1, max: 1e6 }),
  warmUp: fc.constantFrom('0s' as const, '2500ms' as const),
  load: fc.constantFrom<NonNullable<Scenario['load']>[]>(
    { concurrency: 8 },
    { sessionsPerSecond: 4 },
    { sessionsPerSecond: 9, maxConcurrency: 6, whenFull: 'drop' },
  ),
  sessions: fc.constantFrom(25, undefined),
  onFailedTurn: fc.constantFrom('stop' as const, 'continue' as const),
});

type Drawn = typeof course extends fc.Arbitrary<infer Each> ? Each : never;

/** Parts of a run of one shard, its service and its plan. */
async function piecesOf({ seed, sessions, ...scenario }: Drawn) {
  const pieces: Snapshot[] = [];
  const retry = { patient: { base: '400ms' as const }, hasty: { base: '5ms' as const, maxAttempts: 2 } };
  const length = sessions === undefined ? { duration: '6s' as const } : { sessions };
  const around = { atMs: 0, forMs: 0, onInterval: (piece: Snapshot) => void pieces.push(piece) };
  const asked = { ...scenario, ...length, turns: { min: 1, max: 4 }, thinkTime: '200ms' as const, retry };
  const { result, served } = await witness(asked, failing(seed), around);
  return { pieces, served, plan: result.scenario.plan };
}

const heldBy = (snapshot: Snapshot): Counters => sumCounters(snapshot.totals.map(({ counters }) => counters));

const lostAfter = ({ totals, elapsedMs }: Snapshot): LostShard => ({
  shard: wholeRun,
  counted: totals,
  deliveredMs: elapsedMs,
});

/** Requests that the service had received but not answered at an instant. */
const unanswered = (served: readonly Served[], operation: Served['operation'], at: number): number =>
  served.filter((each) => each.operation === operation && each.sentAt < at && each.endedAt >= at).length;

describe('the counts of a run are consistent with the estimated loss of a shard', () => {
  test('at any instant: the loss consists of its unanswered requests', async () => {
    await fc.assert(
      fc.asyncProperty(course, async (drawn) => {
        const { pieces, served, plan } = await piecesOf(drawn);
        for (const [index, last] of pieces.entries()) {
          const [first = last, ...rest] = pieces.slice(0, index + 1);
          const published = mergeSnapshots(first, ...rest);
          const lost = countLost(plan, lostAfter(published));
          const whole = mergeSnapshots(published, lost);
          expect(assertBooks(plan, whole).filter(({ holds }) => !holds)).toEqual([]);
          const { exchanges } = heldBy(lost);
          const expected = (['message', 'create'] as const).map((each) => unanswered(served, each, last.elapsedMs));
          expect([exchanges.lost, exchanges.createLost]).toEqual(expected);
        }
      }),
      { numRuns: 12 },
    );
  });

  test('that published nothing: its share of the sessions of every policy is lost, at most', () => {
    fc.assert(
      fc.property(
        fc.record({
          sessions: fc.integer({ min: 1, max: 60 }),
          count: fc.integer({ min: 1, max: 9 }),
          policies: fc.integer({ min: 1, max: 4 }),
        }),
        ({ sessions, count, policies }) => {
          const retry = Object.fromEntries(Array.from({ length: policies }, (_, index) => [`p${String(index)}`, {}]));
          const plan = planFor({ sessions, retry });
          const lostOf = (shard: number, policy: number): number => {
            const lost = { shard: { index: shard, count }, counted: [], deliveredMs: 0 };
            const ofPolicy = countLost(plan, lost).totals.filter((each) => each.policy === policy);
            return ofPolicy.reduce((sum, { counters }) => sum + (counters.sessions?.['lost'] ?? 0), 0);
          };
          for (let shard = 0; shard < count; shard++)
            for (let policy = 0; policy < policies; policy++) {
              const numbers = Array.from({ length: sessions }, (_, at) => at);
              const own = numbers.filter((at) => at % count === shard && at % policies === policy);
              expect(lostOf(shard, policy)).toBe(own.length);
              const { totals } = countLost(plan, { shard: { index: shard, count }, counted: [], deliveredMs: 0 });
              expect(totals.every(({ counters }) => (counters.sessions?.['not_started'] ?? 0) === 0)).toBe(true);
            }
        },
      ),
    );
  });
});

test('of a lost shard every session and turn in flight is counted once, in the phase in which it began', () => {
  const plan = planFor({ sessions: 9, warmUp: '1s' });
  const session = (startedAt: number) => ({
    number: 1,
    policy: 0,
    due: instant(startedAt),
    startedAt: instant(startedAt),
  });
  const published = snapshotOf(plan, 3000, (recorder) => {
    // Created in the warm-up; its turn was sent after it and is in flight.
    recorder.sessionStarted(session(100));
    recorder.sessionCreated(session(100), instant(300));
    recorder.turnSent(session(100), instant(2000), instant(2000));
    // Created, and thinking.
    recorder.sessionStarted(session(1500));
    recorder.sessionCreated(session(1500), instant(1600));
    // Being created.
    recorder.sessionStarted(session(2800));
  });
  const lost = countLost(plan, { ...lostAfter(published), shard: { index: 1, count: 2 } });
  const [warmUp, measured] = [true, false].map((phase) => lost.totals.find((each) => each.warmUp === phase)?.counters);
  // No attempt is reported here: the property above covers reported ones.
  expect([warmUp?.sessions, warmUp?.turnFlow]).toEqual([{ lost: 1 }, { planned: 1 }]);
  expect([measured?.sessions, measured?.turnFlow]).toEqual([
    { lost: 2, lost_creating: 1, not_started: 1 },
    { lost: 1 },
  ]);
  expect(total(heldBy(lost).turns)).toBe(0);
});

test('of a lost shard whose protocol creates no sessions none was being created', () => {
  const plan = planFor({ sessions: 9 });
  const session = { number: 1, policy: 0, due: instant(100), startedAt: instant(100) };
  const published = snapshotOf(plan, 3000, (recorder) => {
    recorder.sessionStarted(session);
    recorder.sessionBegun(session);
  });
  const { sessions, exchanges } = heldBy(countLost(plan, lostAfter(published)));
  expect([sessions.lost, sessions.lost_creating, exchanges.createLost]).toEqual([1, 0, 0]);
});
