import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkShards, wholeRun } from '../../src/plan/shard.ts';
import { readDataFiles } from '../../src/edge/disk/scenario/load-scenario.ts';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import { sumCounters, total } from '../../src/record/counters.ts';
import type { Snapshot } from '../../src/record/snapshot.ts';
import { assertBooks } from '../../src/result/books/assert-books.ts';
import { fromFile } from '../../src/scenario/from-file.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { makeFolder } from '../support/command.ts';
import { playShards } from '../support/play-shards.ts';
import { byText, serviceByText, spoken, twoPolicies, type Reply, type Seen } from '../support/service-by-text.ts';

interface Played {
  snapshot: Snapshot;
  seen: Seen[];
  dueFirst: ReadonlyMap<string, number>;
}

/** Runs a scenario in this many shards at once, in virtual time, and merges their published journals. */
async function play(scenario: Partial<Scenario>, count: number, takes: (text: string) => Reply): Promise<Played> {
  const resolved = resolveScenario({ name: 'x', ...scenario }, { flags: {}, environment: {} });
  const seen: Seen[] = [];
  const snapshot = await playShards(resolved, count, (clock) => serviceByText(clock, takes, seen));
  expect(assertBooks(resolved.plan, snapshot).filter(({ holds }) => !holds)).toEqual([]);
  seen.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : a.sentAt - b.sentAt));
  const dueFirst = new Map(seen.toReversed().map(({ text, sentAt }) => [text, sentAt]));
  return { snapshot, seen, dueFirst };
}

const shardCounts = [1, 2, 3, 7];

/**
 * All but the maxima of levels, which are an upper bound, the names of the workers, and in which interval the sessions are
 * counted that never became due: each shard counts its own when it ends; and the times of repeated texts, which each shard
 * compares among its own.
 */
const figuresOf = ({ snapshot: { totals, intervals, levels, violations } }: Played) => ({
  totals: totals.map(withoutCompared),
  intervals: intervals.map(withoutUnstarted).filter(({ counters }) => Object.keys(counters).length > 0),
  violations,
  levels: levels.map((each) => ({ ...each, maxSessions: 0, maxTurns: 0 })),
});

function withoutUnstarted(tally: Snapshot['intervals'][number]): Snapshot['intervals'][number] {
  const counters = structuredClone(tally.counters);
  delete counters.sessions?.['not_started'];
  if (Object.keys(counters.sessions ?? {}).length === 0) delete counters.sessions;
  return withoutCompared({ ...tally, counters });
}

function withoutCompared<Tally extends Snapshot['totals'][number]>(tally: Tally): Tally {
  const counters = { ...tally.counters };
  delete counters.signs;
  return { ...tally, counters };
}

/** Two minutes of sessions with one to four turns, some at one instant, and as many conversations. */
async function recorded(): Promise<{ trace: string; talks: string }> {
  const folder = await makeFolder();
  const [trace, talks] = [join(folder, 'trace.csv'), join(folder, 'talks.jsonl')];
  const rows = Array.from({ length: 300 }, (_, row) => `${String(Math.floor(row / 3) * 1.2)},s${String(row % 120)},9`);
  await writeFile(trace, `when,who,tokens\n${rows.join('\n')}\n`);
  const said = (talk: number) =>
    Array.from({ length: 1 + (talk % 4) }, (_, turn) => [
      { role: 'user', content: `talk ${String(talk)}, turn ${String(turn + 1)}` },
      { role: 'assistant', content: 'I see.' },
    ]).flat();
  const lines = Array.from({ length: 90 }, (_, talk) => JSON.stringify({ messages: said(talk) }));
  await writeFile(talks, `${lines.join('\n')}\n`);
  return { trace, talks };
}

const columns = { at: 'when', session: 'who', inputTokens: 'tokens' };

/** Drawn conversations recur: the result for a text is the same every time. */
const inOneTime = (): Reply => ({ afterMs: 130 });

describe.each([2, 7])('files in %i shards', (count) => {
  const compare = async (named: object) => {
    const scenario = (await readDataFiles(named, '.')) as Partial<Scenario>;
    const [one, several] = await Promise.all([play(scenario, 1, inOneTime), play(scenario, count, inOneTime)]);
    expect(one.seen.length).toBeGreaterThan(100);
    return { one, several };
  };

  test.each(['random', 'inOrder'] as const)('give the conversations of one process, order %s', async (order) => {
    const messages = fromFile((await recorded()).talks, { order });
    const open = await compare({ messages, duration: '8s', load: { sessionsPerSecond: 7 } });
    expect(open.several.seen).toEqual(open.one.seen);
    expect(figuresOf(open.several)).toEqual(figuresOf(open.one));
    const closed = await compare({ messages, sessions: 70, load: { concurrency: 11 } });
    expect(closed.several.seen.map(({ text }) => text)).toEqual(closed.one.seen.map(({ text }) => text));
  });

  test('replay a trace as one process does, with generated messages or messages from a file', async () => {
    const { trace, talks } = await recorded();
    const load = { trace, columns, from: '10s', speed: 4 };
    for (const named of [{ load }, { load, messages: fromFile(talks) }]) {
      const { one, several } = await compare(named);
      expect(several.seen).toEqual(one.seen);
      expect(figuresOf(several)).toEqual(figuresOf(one));
    }
  });
});

const open: Partial<Scenario> = {
  ...spoken,
  ...twoPolicies,
  duration: '12s',
  warmUp: '2500ms',
  load: { sessionsPerSecond: 12, arrivals: 'poisson' },
};

test.each(shardCounts)('open load in %i shards equals the load of one process, to the last bucket', async (count) => {
  const [one, several] = await Promise.all([play(open, 1, byText()), play(open, count, byText())]);
  expect(one.snapshot.totals.length).toBe(4);
  expect(one.seen.length).toBeGreaterThan(200);
  expect(several.seen).toEqual(one.seen);
  expect(figuresOf(several)).toEqual(figuresOf(one));
});

const numRuns = process.env['MONTE_CARLO'] === 'whole' ? 60 : 8;

/** Open load of six seconds, and a number of shards for it. */
const drawn = fc
  .tuple(
    fc.integer({ min: 2, max: 9 }),
    fc.integer({ min: 1, max: 1e6 }),
    fc.integer({ min: 1, max: 20 }),
    fc.constantFrom<object[]>(
      { arrivals: 'constant' },
      { arrivals: 'poisson' },
      { arrivals: 'gamma', burstiness: 0.5 },
    ),
    fc.option(fc.integer({ min: 9, max: 60 })),
  )
  .map(([count, seed, sessionsPerSecond, arrivals, sessions]) => {
    const load = { sessionsPerSecond, ...arrivals } as never;
    return { count, given: { ...open, seed, duration: '6s' as const, load, ...(sessions !== null && { sessions }) } };
  });

const unbudgeted = { patient: { base: '200ms' }, hasty: { maxAttempts: 3, base: '10ms', jitter: 'none' } } as const;

test('open load of any rate, seed and burstiness is the same in any number of shards', async () => {
  await fc.assert(
    fc.asyncProperty(drawn, async ({ count, given }) => {
      const scenario = { ...given, retry: unbudgeted };
      const [one, several] = await Promise.all([play(scenario, 1, byText()), play(scenario, count, byText())]);
      expect(several.seen).toEqual(one.seen);
      expect(figuresOf(several)).toEqual(figuresOf(one));
    }),
    { numRuns },
  );
});

const share = 0.2;
/** The second of two policies has a budget over the whole run. */
const budgeted = { ...unbudgeted, hasty: { ...unbudgeted.hasty, budget: { share, window: '1h' } } } as const;

/** Attempts of the policy with the budget, creations included, and how many of them were retries. */
function spentBy({ snapshot }: Played): { attempts: number; retries: number; refused: number } {
  const hasty = snapshot.totals.filter(({ policy }) => policy === 1).map(({ counters }) => counters);
  const { exchanges, retries, createRetries, gaveUp, createGaveUp } = sumCounters(hasty);
  return {
    attempts: exchanges.attempts + exchanges.createAttempts,
    retries: total(retries) + total(createRetries),
    refused: gaveUp.budget + createGaveUp.budget,
  };
}

test('a retry budget is kept by every shard on its own attempts: the whole keeps it, and nothing else differs', async () => {
  let refused = 0;
  const firstOfSessions = ({ seen }: Played) => [
    ...new Map(seen.toReversed().map(({ text, sentAt }) => [text.split(' ')[0], [text, sentAt]])).entries(),
  ];
  const ofPatient = ({ seen }: Played) => seen.filter(({ text }) => Number(text.split(' ')[0]) % 2 === 1);
  await fc.assert(
    fc.asyncProperty(drawn, async ({ count, given }) => {
      const scenario = { ...given, retry: budgeted };
      const [one, several] = await Promise.all([play(scenario, 1, byText()), play(scenario, count, byText())]);
      expect(ofPatient(several)).toEqual(ofPatient(one));
      expect(firstOfSessions(several).toSorted()).toEqual(firstOfSessions(one).toSorted());
      const [spentByOne, spent] = [spentBy(one), spentBy(several)];
      refused += spent.refused;
      expect(spent.retries).toBeLessThanOrEqual(share * spent.attempts);
      if (spentByOne.refused + spent.refused === 0) expect(figuresOf(several)).toEqual(figuresOf(one));
    }),
    { numRuns },
  );
  expect(refused).toBeGreaterThan(0);
});

test('a shard refuses by its budget a retry that one process, with the attempts of all sessions, would send', async () => {
  const load = { sessionsPerSecond: 2, arrivals: 'constant' } as const;
  const scenario = { ...open, seed: 227721, duration: '6s', load } as const;
  const [one, several] = await Promise.all([play(scenario, 1, byText()), play(scenario, 5, byText())]);
  expect([spentBy(one), spentBy(several)]).toEqual([
    { attempts: 23, retries: 6, refused: 0 },
    { attempts: 22, retries: 5, refused: 1 },
  ]);
  const differs = one.seen.filter(
    ({ text, sentAt }) => !several.seen.some((each) => each.text === text && each.sentAt === sentAt),
  );
  expect(differs.map(({ text }) => text.split(' ').slice(0, 2))).toEqual([['8', '2']]);
});

test.each(shardCounts)('closed load in %i shards runs the same turns with the same outcomes', async (count) => {
  const closed = { ...spoken, ...twoPolicies, sessions: 100, load: { concurrency: 11 } };
  const [one, several] = await Promise.all([play(closed, 1, byText()), play(closed, count, byText())]);
  expect(several.seen.map(({ text }) => text)).toEqual(one.seen.map(({ text }) => text));
  expect(several.snapshot.totals).toEqual(one.snapshot.totals);
});

test.each(shardCounts)(
  'closed load in %i shards has the same instants if sessions are of one length',
  async (count) => {
    const even: Partial<Scenario> = {
      messages: ['{{session.number}} {{turn.number}}'],
      turns: 2,
      thinkTime: '500ms',
      duration: '9s',
      warmUp: '2s',
      load: { concurrency: 42 },
    };
    const [one, several] = await Promise.all([play(even, 1, inOneTime), play(even, count, inOneTime)]);
    expect(one.seen.length).toBeGreaterThan(500);
    expect(several.seen).toEqual(one.seen);
    expect(figuresOf(several)).toEqual(figuresOf(one));
  },
);

test.each([2, 3, 7])(
  'the caps of a run are dealt to %i shards: together they reach them and never exceed them',
  async (count) => {
    const load = { concurrency: 14 };
    const turns = await play({ ...spoken, duration: '60s', load, maxTurns: 100 }, count, byText());
    expect(turns.seen.length).toBe(100);
    const sessions = await play({ ...spoken, duration: '60s', load, maxSessions: 31 }, count, byText());
    const numbers = new Set(sessions.seen.map(({ text }) => Number(text.split(' ')[0])));
    expect([...numbers].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 31 }, (_, index) => index + 1));
  },
);

test('no shard is left without anything to do', () => {
  const plan = (scenario: Partial<Scenario>) =>
    resolveScenario({ name: 'x', messages: ['hi'], ...scenario }, { flags: {}, environment: {} }).plan;
  expect(() => checkShards(plan({ sessions: 2, load: { concurrency: 2 } }), 3)).toThrow(/2 sessions cannot be divided/);
  expect(() => checkShards(plan({ sessions: 9, load: { concurrency: 2 } }), 3)).toThrow(/concurrency of 2/);
  expect(() => checkShards(plan({ duration: '9s', load: { sessionsPerSecond: 2, maxConcurrency: 1 } }), 2)).toThrow(
    /maxConcurrency 1/,
  );
  expect(() => checkShards(plan({ sessions: 9, load: { concurrency: 3 } }), 3)).not.toThrow();
  expect(wholeRun).toEqual({ index: 0, count: 1 });
});
