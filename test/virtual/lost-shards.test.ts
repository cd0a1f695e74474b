import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { performRecovery } from '../../src/app/recover.ts';
import { keepJournal } from '../../src/app/run/perform-run.ts';
import { publishRun } from '../../src/app/run/publish-run.ts';
import { instant } from '../../src/base/time.ts';
import { encodeLine } from '../../src/edge/disk/lines.ts';
import type { JournalWriter } from '../../src/edge/disk/write-journal.ts';
import type { FromShard } from '../../src/fleet/messages.ts';
import { resolveScenario, type ResolvedScenario } from '../../src/plan/resolve-scenario.ts';
import { exitCodeOf } from '../../src/result/exit-code.ts';
import type { JournalHeader } from '../../src/result/journal/journal.ts';
import type { Result } from '../../src/result/result.ts';
import { describeFleet } from '../../src/result/sections/environment.ts';
import { publishStop } from '../../src/result/sections/run-facts.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { makeFolder } from '../support/command.ts';
import { apiService, spokenApis, targetOf, type LedgerEntry } from '../support/spoken-apis.ts';
import { healthy, runFacts, surroundings } from '../support/synthetic-result.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { coordinateVirtually, VirtualShards, type Interference } from '../support/virtual-fleet.ts';

interface JournalledLine {
  at: number;
  line: Buffer;
}

/** A run of several shards, the service's own ledger of each, and its journal. */
interface Ran {
  result: Result;
  /** By shard; instants are those since the start of the run. */
  ledgers: LedgerEntry[][];
  header: JournalHeader;
  journal: JournalledLine[];
}

/** Ways in which one of three shards is lost, from its sixth second on. */
interface Losing {
  interference: (clock: VirtualClock) => Interference;
  during?: (shards: VirtualShards, clock: VirtualClock) => void;
  reason: string;
  /** Everything that it did is in the books. */
  isWhole?: true;
}

const lostFromMs = 5300;
const victim = 1;

const withoutPiece = (shard: number, message: FromShard): readonly FromShard[] =>
  shard === victim && message.kind === 'piece' && message.number === 6 ? [] : [message];

const ways: Record<string, Losing> = {
  'its process is killed': {
    interference: () => ({}),
    during: (shards, clock) =>
      void clock.wakeAt(instant(lostFromMs), () => shards.leave(victim, 'its process was ended by SIGKILL')),
    reason: 'its process was ended by SIGKILL',
  },
  'it falls silent': {
    interference: () => ({ pass: (shard, message, atMs) => (shard === victim && atMs > lostFromMs ? [] : [message]) }),
    reason: 'it sent nothing for 4.5 s',
  },
  'an interval of it does not arrive': {
    interference: () => ({ pass: withoutPiece }),
    reason: 'its interval 6 did not arrive',
  },
  'its worker stops it': {
    interference: () => ({}),
    during: (shards, clock) => void clock.wakeAt(instant(lostFromMs), () => shards.stopThere(victim)),
    reason: 'it was stopped by its worker',
    isWhole: true,
  },
};

const talk: Partial<Scenario> = {
  messages: ['{{session.number}} {{turn.number}}'],
  turns: { min: 1, max: 4 },
  thinkTime: '200ms',
  retry: { base: '200ms' },
  load: { concurrency: 24 },
};
const closed = { ...talk, sessions: 400 };

const accountNow = () => ({ generator: healthy, samples: [], traffic: null, transport: null });

/** Runs a scenario in three shards; its result is built like the result of a run. */
async function ran(scenario: Partial<Scenario>, api: string, losing?: Losing): Promise<Ran> {
  const spoken = spokenApis[api];
  if (spoken === undefined) throw new Error(api);
  const clock = new VirtualClock();
  const resolved = resolveScenario(
    { name: 'x', ...scenario, target: targetOf(spoken) },
    { flags: {}, environment: {} },
  );
  const ledgers: LedgerEntry[][] = [[], [], []];
  const sendOf = (shard: number) => apiService(spoken, clock, ledgers[shard] ?? []);
  const shards = new VirtualShards(3, { resolved, clock, sendOf, ...losing?.interference(clock) });
  losing?.during?.(shards, clock);
  const journal: JournalledLine[] = [];
  const kept = keepJournal({ writer: writerTo(clock, journal) }, { run: runFacts.id, accountNow });
  let header: JournalHeader | undefined;
  const { outcome } = await coordinateVirtually(resolved, shards, {
    clock,
    ready: (workers) => {
      const counted = workers.map((each) => ({ ...each, sessionsStarted: null, turnsFinished: null }));
      header = headerOf(resolved, counted);
      return Promise.resolve(kept);
    },
  });
  if (header === undefined || header.environment === null) throw new Error('no shard was ready');
  const { elapsedMs, account, workers, samples: generatorSamples } = outcome;
  await kept.end({ elapsedMs, stop: publishStop(outcome.stop), workers: [...workers] }, account);
  const environment = describeFleet(header.environment, workers);
  const result = publishRun(resolved, outcome, { ...header, environment, ...account, generatorSamples });
  const begin = shards.startedAt;
  const since = (each: LedgerEntry) => ({ ...each, sentAt: each.sentAt - begin, endedAt: each.endedAt - begin });
  return { result, ledgers: ledgers.map((each) => each.map(since)), header, journal };
}

const headerOf = (
  { plan }: ResolvedScenario,
  workers: NonNullable<Result['environment']>['workers'],
): JournalHeader => ({
  kind: 'chat-load/journal',
  schemaVersion: 1,
  run: runFacts,
  plan,
  environment: surroundings.environment && describeFleet(surroundings.environment, workers ?? []),
  calibration: null,
  warnings: [],
});

const writerTo = (clock: VirtualClock, lines: JournalledLine[]): JournalWriter => ({
  path: 'virtual.ndjson',
  add: (line) => lines.push({ at: clock.now(), line }),
  failed: new Promise(() => undefined),
  close: () => Promise.resolve(),
  remove: () => Promise.resolve(),
});

/** The result that is recovered from what had been written by an instant. */
async function recovered({ header, journal }: Ran, untilMs = Infinity): Promise<Result> {
  const file = join(await makeFolder(), 'journal.ndjson');
  const written = journal.filter(({ at }) => at <= untilMs).map(({ line }) => line);
  await writeFile(file, Buffer.concat([encodeLine(header), ...written]));
  return performRecovery(file);
}

const workersOf = ({ environment }: Result) => environment?.workers ?? [];
const lostOf = (result: Result) => workersOf(result).map(({ lost }) => lost?.reason ?? null);
const reasonOf = ({ validity }: Result) => validity.reasons.find(({ code }) => code === 'shards_lost');

describe.each(Object.keys(spokenApis))('a run of three shards that speaks %s', (api) => {
  test.each(Object.entries(ways))('has the counts of the service when one shard is lost after %s', async (_, way) => {
    const run = await ran(closed, api, way);
    const { result, ledgers } = run;
    const { books } = result;
    expect(lostOf(result)).toEqual([null, way.reason, null]);
    expect(books.broken).toEqual([]);
    expect([result.validity.verdict, exitCodeOf(result)]).toEqual(['invalid', 4]);
    const untilMs = way.isWhole ? Infinity : (workersOf(result)[victim]?.lost?.atMs ?? 0);
    // The lost shard's turns up to its last interval: ended ones are counted, the others are lost.
    const endOf = (shard: number): number => (shard === victim ? untilMs : Infinity);
    const known = ledgers.flatMap((ledger, shard) => ledger.filter(({ sentAt }) => sentAt < endOf(shard)));
    const ended = ledgers.flatMap((ledger, shard) => ledger.filter(({ endedAt }) => endedAt < endOf(shard)));
    const count = (entries: readonly LedgerEntry[], of: string) =>
      entries.filter(({ operation }) => operation === of).length;
    for (const [of, { total, lost }] of [
      ['message', books.attempts],
      ['create', books.createAttempts],
    ] as const) {
      expect(total + lost).toBe(count(known, of));
      expect(total).toBe(count(ended, of));
    }
    expect(books.createAttempts.total > 0).toBe(result.scenario.plan.target.createsSessions);
    if (way.isWhole === undefined) expect(books.sessions.lost).toBeGreaterThan(0);
    const { completed, failed, cut, lost, lost_creating, create_failed, create_cut, not_started } = books.sessions;
    const [created, uncreated] = [completed + failed + cut + lost - lost_creating, create_failed + create_cut];
    expect(created + lost_creating + uncreated + not_started).toBe(400);
  });
});

test.each(Object.keys(spokenApis))(
  'when all shards that speak %s are cut off, the run ends with consistent counts, and its journal yields the same',
  async (api) => {
    const run = await ran({ ...talk, duration: '60s' }, api, {
      interference: (clock) => ({
        pass: (_, message, atMs) => (atMs > lostFromMs ? [] : [message]),
        interruptedSince: () => (clock.now() > lostFromMs ? instant(lostFromMs) : undefined),
      }),
      reason: 'the connection to it was interrupted for 10 s',
    });
    const { result, ledgers } = run;
    expect(lostOf(result)).toEqual(Array<string>(3).fill('the connection to it was interrupted for 10 s'));
    expect([result.run.stop?.kind, result.books.balanced, exitCodeOf(result)]).toEqual(['fleet_lost', true, 3]);
    const sent = ledgers.flatMap((ledger, shard) =>
      ledger.filter(({ sentAt }) => sentAt < (workersOf(result)[shard]?.lost?.atMs ?? 0)),
    );
    const { attempts, createAttempts } = result.books;
    expect(attempts.total + attempts.lost + createAttempts.total + createAttempts.lost).toBe(sent.length);
    expect(figuresOf(await recovered(run))).toEqual(figuresOf(JSON.parse(JSON.stringify(result)) as Result));
  },
);

/** Returns everything except the status: a recovered run has its own. */
function figuresOf({ run, ...result }: Result): object {
  return { ...result, run: { ...run, status: undefined } };
}

describe.each(['chat-messaging', 'openai-chat'])('a journal of a run of three shards that speaks %s', (api) => {
  test.each(Object.entries(ways))(
    'with one lost after %s yields the result of the run, figure by figure',
    async (_, way) => {
      const run = await ran(closed, api, way);
      const result = await recovered(run);
      expect(result.run.status).toBe('recovered');
      expect(figuresOf(result)).toEqual(figuresOf(JSON.parse(JSON.stringify(run.result)) as Result));
    },
  );

  test.each(Object.entries(ways))(
    'whose coordinator died after one was lost after %s reports the loss as the run had',
    async (_, way) => {
      const scenario = { ...talk, duration: '40s' as const };
      const result = await recovered(await ran(scenario, api, way), 14_000);
      expect(lostOf(result)).toEqual([null, way.reason, null]);
      expect([result.run.status, result.validity.verdict, exitCodeOf(result)]).toEqual(['recovered', 'invalid', 4]);
      expect(reasonOf(result)?.message).toContain(`1 shard of 3 was lost`);
      if (way.isWhole === undefined) expect(result.books.sessions.lost).toBeGreaterThan(0);
    },
  );
});

describe('a coordinator that died while a shard was silent', () => {
  const scenario = { ...talk, duration: '60s' as const };
  const silent = ways['it falls silent'];

  test('leaves a journal without the end of that shard: it is not valid', async () => {
    const result = await recovered(await ran(scenario, 'openai-chat', silent), 9000);
    expect(lostOf(result)).toEqual([null, 'it was silent when the run died', null]);
    expect(reasonOf(result)?.message).toContain('1 shard of 3 was lost');
    expect([result.validity.verdict, exitCodeOf(result)]).toEqual(['invalid', 4]);
  });

  test('had a journal of whole intervals as long as it still waited for that shard', async () => {
    const result = await recovered(await ran(scenario, 'openai-chat', silent), 7000);
    expect(lostOf(result)).toEqual([null, null, null]);
    expect(result.validity.reasons).toEqual([]);
  });

  test('reports the same for a shard whose line is damaged', async () => {
    const run = await ran(scenario, 'openai-chat', silent);
    const isLost = ({ line }: JournalledLine) => line.includes('"kind":"lost"');
    expect(run.journal.filter(isLost)).toHaveLength(1);
    const damaged = run.journal.map((each) => (isLost(each) ? { ...each, line: Buffer.from('{"sum":"0"}\n') } : each));
    const result = await recovered({ ...run, journal: damaged }, 14_000);
    expect(lostOf(result)).toEqual([null, 'it was silent when the run died', null]);
    expect(result.warnings.map(({ code }) => code)).toContain('journal_incomplete');
  });

  test('with a number of sessions: the lost share is a share of sessions, estimated from the sessions started by the others', async () => {
    const run = await ran(
      { ...closed, sessions: 3000, load: { concurrency: 60 } },
      'openai-chat',
      ways['its process is killed'],
    );
    const result = await recovered(run, 12_000);
    const [lost] = workersOf(result).filter((each) => each.lost !== null);
    const startedByOthers = result.books.sessions.started - (lost?.sessionsStarted ?? NaN);
    const part = startedByOthers / 2000;
    const missing = 1000 * part - (lost?.sessionsStarted ?? NaN) + result.books.sessions.lost;
    const percent = ((100 * missing) / (3000 * part)).toPrecision(3);
    expect(reasonOf(result)?.message).toContain(`with ${percent} % of the load`);
  });

  test('is read when its last line, the loss, is torn', async () => {
    const run = await ran(scenario, 'openai-chat', ways['its process is killed']);
    const at = run.journal.findIndex(({ line }) => line.includes('"kind":"lost"'));
    const journal = run.journal
      .slice(0, at + 1)
      .map((each, index) => (index === at ? { ...each, line: each.line.subarray(0, 100) } : each));
    const result = await recovered({ ...run, journal });
    expect(result.warnings.map(({ message }) => message).join(' ')).toContain('the last, is torn');
    expect(result.books.turns.ok).toBeGreaterThan(0);
  });
});
