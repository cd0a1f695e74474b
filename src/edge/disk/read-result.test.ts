import { readFileSync } from 'node:fs';
import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../../test/support/command.ts';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { playedBy, workersOf } from '../../../test/support/synthetic-workers.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { encodeLine } from './journal-line.ts';
import { migrate } from './migrate-result.ts';
import type { Result } from '../../result/result.ts';
import { resultFactsSchema } from '../../compare/document/group-of.ts';
import { readResultFacts, readWholeResult } from './read-result-part.ts';
import { readResult } from './read-result.ts';

const result = resultOf(finishedRun({ sessions: 20 }));
const whole = JSON.stringify(result, null, 1);
const journal = [{ kind: 'chat-load/journal', schemaVersion: 1 }, { kind: 'end' }].map(encodeLine).join('');

async function fileOf(text: string): Promise<string> {
  const file = join(await makeFolder(), 'a result.json');
  await writeFile(file, text);
  return file;
}

async function problemOf(text: string): Promise<ChatLoadError> {
  const thrown: unknown = await readResult(await fileOf(text)).catch((error: unknown) => error);
  if (!(thrown instanceof ChatLoadError)) throw new Error('it was read, or failed in another way', { cause: thrown });
  return thrown;
}

describe('a result is read', () => {
  test('as it was written', async () => {
    expect(await readResult(await fileOf(whole))).toEqual(result);
  });

  test('with the shards that played it, and with none of a chat-load that knew of none', async () => {
    const ofShards = playedBy(result, workersOf(3, [{ lost: { atMs: 1200, reason: 'silent' }, startLateMs: null }]));
    expect(await readResult(await fileOf(JSON.stringify(ofShards)))).toEqual(ofShards);
    const { workers, startSkewMs, ...older } = result.environment ?? {};
    expect([workers, startSkewMs]).toEqual([null, null]);
    expect(await readResult(await fileOf(JSON.stringify({ ...result, environment: older })))).toEqual(result);
  });

  test('in any layout', async () => {
    expect(await readResult(await fileOf(JSON.stringify(result)))).toEqual(result);
  });
});

describe('a file that is no result is named, with what it is and a way out', () => {
  test.each([
    ['an empty file', '', /a result\.json is empty\.$/],
    ['one that was cut off', whole.slice(0, whole.length / 2), /a result\.json is cut off: its end is missing\.$/],
    ['text', 'BASE HEAD', /a result\.json is not JSON \(.+\)\.$/],
    ['another document of ours', '{"kind":"chat-load/comparison"}', /is a comparison of chat-load, not a result\.$/],
    ['a foreign document', '{"metrics":{}}', /is not a result of chat-load\.$/],
    ['a journal', journal, /a result\.json is the journal of a run, not its result\.$/],
    ['a list', '[]', /is not a result of chat-load\.$/],
    [
      'a result without a part',
      JSON.stringify({ ...result, rates: { ...result.rates, measuredMs: 'long' } }),
      /is not a whole result: rates\.measuredMs: .+\.$/,
    ],
  ])('%s', async (_, text, message) => {
    const problem = await problemOf(text);
    expect(problem.message).toMatch(message);
    expect(problem.code).toBe('usage');
    expect(problem.hint).not.toBe('');
  });

  test('a folder, and a file that is not there', async () => {
    const folder = await makeFolder();
    await expect(readResult(folder)).rejects.toThrow(`${folder} cannot be read: it is a folder.`);
    await expect(readResult(join(folder, 'none.json'))).rejects.toThrow(
      'none.json cannot be read: there is no such file or folder.',
    );
  });
});

describe('a result of another version cannot be compared', () => {
  test.each([
    [4, 'version 4; this chat-load reads 3.', 'upgrade'],
    [0, 'version 0; this chat-load reads 3.', 'measure again'],
    [undefined, 'version unknown; this chat-load reads 3.', 'measure again'],
    ['3', 'version unknown; this chat-load reads 3.', 'measure again'],
  ])('%s', async (schemaVersion, message, hint) => {
    const problem = await problemOf(JSON.stringify({ ...result, schemaVersion }));
    expect(problem.code).toBe('not_comparable');
    expect(problem.message).toContain(message);
    expect(problem.hint).toContain(hint);
  });

  test('until there is a way: every step is gone in turn', () => {
    const steps = [
      { from: 1, apply: (old: unknown) => [old, 'to 2'] },
      { from: 2, apply: (old: unknown) => [old, 'to 3'] },
    ];
    expect(migrate('one', 1, steps)).toEqual([['one', 'to 2'], 'to 3']);
    expect(migrate('three', 3, steps)).toBe('three');
    expect(migrate('none', 0, steps)).toBeUndefined();
    expect(migrate('four', 4, steps)).toBeUndefined();
  });
});

describe('a result of version 1', () => {
  const file = fileURLToPath(new URL('../../../test/fixtures/results/result-version-1.json', import.meta.url));
  const old = JSON.parse(readFileSync(file, 'utf8')) as OldResult;

  test('is one of the newest version once it is read, with every figure that got another name', async () => {
    const { schemaVersion, run, retries, drift } = await readResult(file);
    expect(schemaVersion).toBe(3);
    expect(run.stop?.reason).toBe(old.run.stop.why);
    expect(retries.backoffActualMs).toBe(old.retries.timeLostMs);
    expect(retries.backoffActualMs).toBeGreaterThan(0);
    expect(retries.policies.map(({ backoffActualMs }) => backoffActualMs)).toEqual(
      old.retries.policies.map(({ timeLostMs }) => timeLostMs),
    );
    expect(retries.policies.map(({ intervals }) => intervals.backoffActualPerTurnMs)).toEqual(
      old.retries.policies.map(({ intervals }) => intervals.timeLostPerTurnMs),
    );
    expect(retries.verdict?.pairs.map(({ differences }) => differences.backoffActualPerTurnMs)).toEqual(
      old.retries.verdict.pairs.map(({ differences }) => differences.timeLostPerTurnMs),
    );
    expect(drift?.series.map(({ subject, segments }) => [subject, segments])).toEqual(
      old.drift.series.map(({ of, stretches }) => [of, stretches]),
    );
    expect(drift?.series.length).toBeGreaterThan(0);
  });

  test('reads alike whole and by its facts', async () => {
    const whole = await readResult(file);
    expect(readResultFacts(file)).toEqual({ part: resultFactsSchema.parse(whole) });
    expect(readWholeResult(file)).toEqual({ part: whole });
  });

  test('loses nothing but old names, and gains nothing but new ones and the defaults of what came later', async () => {
    const { environment, books, ...rest } = withoutStreams(await readResult(file));
    const { workers, startSkewMs, ...where } = environment ?? {};
    const lost = [books, books.warmUp].flatMap(({ sessions, turns, attempts, createAttempts }) => [
      ...[sessions.lost, sessions.lost_creating, turns.lost, attempts.lost, createAttempts.lost],
    ]);
    expect([workers, startSkewMs, ...lost]).toEqual([null, null, ...lost.map(() => 0)]);
    const text = JSON.stringify({ ...rest, environment: where, books });
    for (const name of ['timeLostMs', 'timeLostPerTurnMs', 'why', 'stretches', 'within'])
      expect(text).not.toContain(`"${name}":`);
    expect(leavesOf(JSON.parse(text)) - lost.length).toBe(leavesOf(old));
  });
});

test('a result of version 2 loses nothing, and gains only that nothing came in pieces and no user left', async () => {
  const file = fileURLToPath(new URL('../../../test/fixtures/results/result-version-2.json', import.meta.url));
  const old = JSON.parse(readFileSync(file, 'utf8')) as Result;
  const read = await readResult(file);
  expect(read.target).toEqual({ ...old.target, protocol: 'chat-messaging', stream: false });
  expect(read.stream).toMatchObject({ replies: 0, contentEvents: 0, sharedReads: null, outputTokensPerSecond: null });
  expect(read.history.map(({ requests, bodyBytes }) => [requests, bodyBytes])).toEqual(Array(6).fill([0, null]));
  expect(read.latency.firstToken).toMatchObject({ count: 0, p95Ms: null, ok: { count: 0 }, failed: { count: 0 } });
  expect([read.outcomes.turns.abandoned, read.outcomes.attempts.truncated, read.books.turns.abandoned]).toEqual([
    0, 0, 0,
  ]);
  expect({ ...withoutStreams(read), schemaVersion: 2 }).toMatchObject(old);
  expect(leavesOf(withoutStreams(read))).toBe(leavesOf(old));
});

/** A result without all that version 3 added, and what its plan and retries did. */
function withoutStreams(result: Result): Result {
  const added = new Set([
    ...['stream', 'history', 'abandoned', 'truncated', 'protocol', 'objectiveFirstTokenMs', 'objectiveGapMs'],
    ...['firstToken', 'firstAnswer', 'effectiveFirstToken', 'gap', 'tokenTime', 'replyTail', 'abandon'],
    ...['stallTimeoutMs', 'messagesPath', 'messageBody', 'conversation', 'createsSessions', 'maxEventBytes'],
    ...['tools', 'toolTurns', 'uncreated', 'p99AtMostMs', 'unusable'],
    ...['dnsRefreshMs', 'tls', 'headers', 'trace', 'traceId', 'cookies'],
    ...['proxy', 'unixSocket', 'http2', 'compression', 'expectContinue'],
  ]);
  return JSON.parse(
    JSON.stringify(result, (key, value: unknown) => {
      const isNew = added.has(key) || (['instructions', 'resolve', 'transport'].includes(key) && value === null);
      // A group of outcomes is of that name, too.
      return isNew || (key === 'auth' && typeof value === 'string') ? undefined : value;
    }),
  ) as Result;
}

/** As far as version 1 had other names. */
interface OldResult {
  run: { stop: { why: string } };
  retries: {
    timeLostMs: number;
    policies: { timeLostMs: number; intervals: { timeLostPerTurnMs: unknown } }[];
    verdict: { pairs: { differences: { timeLostPerTurnMs: unknown } }[] };
  };
  drift: { series: { of: string; stretches: number }[] };
}

const leavesOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, each) => sum + leavesOf(each), 0)
    : 1;

test('a folder in place of a result is refused, and its newest results are named', async () => {
  const folder = await makeFolder();
  for (const [age, name] of ['a', 'b', 'c', 'd'].entries()) {
    const file = join(folder, `${name}.json`);
    await writeFile(file, JSON.stringify(result));
    await utimes(file, 1000 - age, 1000 - age);
  }
  await writeFile(join(folder, 'other.json'), '{}');
  const named = ['a', 'b', 'c'].map((name) => join(folder, `${name}.json`)).join(', ');
  await expect(readResult(folder)).rejects.toMatchObject({
    message: `${folder} cannot be read: it is a folder.`,
    hint: `Name a result file in it: the newest are ${named}.`,
  });
  await expect(readResult(await makeFolder())).rejects.toMatchObject({
    hint: 'Name a result file, as chat-load run writes it.',
  });
});
