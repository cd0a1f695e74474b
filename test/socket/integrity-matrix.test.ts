import { describe, expect, test } from 'vitest';
import type { ServiceStats } from '../../src/reference-service/exchange/stats.ts';
import type { Result } from '../../src/result/result.ts';
import type { EmbeddedOptions } from '../../src/scenario/embedded.ts';
import type { SabotageKind } from '../../src/scenario/embedded-sabotage.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { checkNames, type CheckName } from '../../src/session/integrity/finding.ts';
import { conduct } from '../support/conduct.ts';
import { openService } from '../support/reference-client.ts';

type TurnOptions = NonNullable<Scenario['turns']>;

interface Row {
  embedded: EmbeddedOptions;
  /**
   * Turns of a session. With up to three, the code is requested in every turn except the first, so that forgetting is
   * always detected.
   */
  turns: TurnOptions;
  thinkTime?: NonNullable<Scenario['thinkTime']>;
  integrity?: NonNullable<Scenario['integrity']>;
}

const share = 0.1;
const long = { min: 2, max: 8 } as const;
/** With and without the work done, so that a client cannot know; the last is safe to try again. */
const ambiguous: EmbeddedOptions['faults'] = (['cut', 'reset', 'internal_error', 'rate_limited'] as const).map(
  (kind) => ({ kind, share: 0.05 }),
);
const short = { min: 1, max: 3 } as const;
const idle = '20ms';
const pause = '40ms';
/** Result fields of the guard when every check is active. */
const active = { active: true, transcript: 'conversation', variables: ['customerName'] } as const;

/** Runs sessions against a service with this sabotage; returns the client's findings and the service's actions. */
async function play({ embedded, turns, thinkTime, integrity = active }: Row) {
  const { baseUrl, stats } = await openService({ latency: { median: '4ms', sigma: 0.5 }, ...embedded });
  const result = await conduct(
    {
      sessions: 150,
      load: { concurrency: 50 },
      turns,
      ...(thinkTime === undefined ? {} : { thinkTime }),
      integrity,
      retry: { maxAttempts: 12, base: '1ms', factor: 1, jitter: 'none' },
      variableValues: { customerName: 'Ada {{session.number}}', orderNumber: 'ORD-{{session.number}}' },
      messages: ['Where is order {{orderNumber}}?', 'And when will it come?'],
    },
    { baseUrl },
  );
  expect([result.books.balanced, result.books.broken]).toEqual([true, []]);
  expect(result.concurrency.sessions.max).toBe(50);
  return { result, stats: stats() };
}

/** The checks that were red, with how many replies broke them. */
const redOf = ({ integrity }: Result): [CheckName, number][] =>
  integrity.checks.filter(({ failed }) => failed > 0).map(({ name, failed }) => [name, failed]);

const madeOf = ({ integrity }: Result): CheckName[] =>
  integrity.checks.filter(({ checked }) => checked > 0).map(({ name }) => name);

const doneBy = ({ sabotaged }: ServiceStats): [string, number][] =>
  Object.entries(sabotaged).filter(([, count]) => count > 0);

const allBut = (...left: CheckName[]): CheckName[] => checkNames.filter((name) => !left.includes(name));

function expectGreen({ result, stats }: { result: Result; stats: ServiceStats }): void {
  expect([redOf(result), doneBy(stats)]).toEqual([[], []]);
  expect([result.integrity.verdict, result.integrity.failed, result.outcomes.attempts.check_failed]).toEqual([
    'pass',
    0,
    0,
  ]);
}

/** Every reply that the service spoiled broke this check, and nothing else was found anywhere. */
function expectRed(
  { result, stats }: { result: Result; stats: ServiceStats },
  kind: SabotageKind,
  red: CheckName,
): void {
  const [[, spoiled] = ['', 0]] = doneBy(stats);
  expect([redOf(result), doneBy(stats)]).toEqual([[[red, spoiled]], [[kind, spoiled]]]);
  expect(spoiled).toBeGreaterThanOrEqual(10);
  expect([result.integrity.verdict, result.integrity.failed, result.outcomes.attempts.check_failed]).toEqual([
    'fail',
    spoiled,
    spoiled,
  ]);
  expect(result.integrity.examples).toHaveLength(10);
  expect(result.integrity.examples.every(({ check }) => check === red)).toBe(true);
}

describe('without sabotage every check is made and green', () => {
  test.each<[string, Row, CheckName[]]>([
    ['in long sessions', { embedded: {}, turns: long }, allBut('amnesia')],
    [
      'in idle ones',
      { embedded: {}, turns: short, thinkTime: pause, integrity: { ...active, idle } },
      allBut('continuity'),
    ],
    [
      'where messages are refused before any work',
      { embedded: { faults: [{ kind: 'rate_limited', share: 0.2 }] }, turns: long },
      allBut('amnesia'),
    ],
    [
      'by a guard that says nothing',
      { embedded: {}, turns: long, integrity: { active: false, transcript: 'conversation' } },
      ['answered', 'restarted', 'stale', 'placeholder', 'turns'],
    ],
  ])('%s', async (_, row, made) => {
    const played = await play(row);
    expectGreen(played);
    expect(madeOf(played.result)).toEqual(made);
  });
});

describe('each sabotage turns one check red, once for every reply that the service spoiled, and no other check', () => {
  test.each<[SabotageKind, CheckName, Row]>([
    ['forget', 'continuity', { embedded: { sabotage: [{ kind: 'forget', share }] }, turns: short }],
    [
      'forget',
      'amnesia',
      {
        embedded: { sabotage: [{ kind: 'forget', share }] },
        turns: short,
        thinkTime: pause,
        integrity: { ...active, idle },
      },
    ],
    ['swap', 'crossed', { embedded: { sabotage: [{ kind: 'swap', share }] }, turns: long }],
    ['drop', 'turns', { embedded: { sabotage: [{ kind: 'drop', share }] }, turns: long }],
    [
      'store_twice',
      'turns',
      {
        embedded: {
          faults: [{ kind: 'rate_limited', share: 0.2 }],
          sabotage: [{ kind: 'store_twice', share: 0.2 }],
        },
        turns: long,
      },
    ],
    ['previous', 'stale', { embedded: { sabotage: [{ kind: 'previous', share }] }, turns: long }],
    ['placeholder', 'placeholder', { embedded: { sabotage: [{ kind: 'placeholder', share }] }, turns: long }],
    ['error_text', 'answered', { embedded: { sabotage: [{ kind: 'error_text', share }] }, turns: long }],
    ['leak', 'leakage', { embedded: { sabotage: [{ kind: 'leak', share }] }, turns: long }],
    ['foreign_values', 'variables', { embedded: { sabotage: [{ kind: 'foreign_values', share }] }, turns: long }],
    [
      'idle_amnesia',
      'amnesia',
      {
        embedded: { sabotage: [{ kind: 'idle_amnesia', idle, share }] },
        turns: short,
        thinkTime: pause,
        integrity: { ...active, idle },
      },
    ],
  ])('%s: %s', async (kind, red, row) => {
    const played = await play(row);
    expectRed(played, kind, red);
    const spoiled = played.stats.sabotaged[kind];
    expect(played.result.integrity.replies).toBe(played.stats.messages.classes.ok);
    expect(played.result.integrity.turns).toEqual({
      lost: kind === 'drop' ? spoiled : 0,
      duplicated: kind === 'store_twice' ? spoiled : 0,
      reordered: 0,
      repeated: 0,
    });
  });

  test.each<[Exclude<SabotageKind, 'idle_amnesia'>, CheckName, TurnOptions]>([
    ['forget', 'continuity', short],
    ['swap', 'crossed', long],
    ['drop', 'turns', long],
    ['previous', 'stale', long],
    ['placeholder', 'placeholder', long],
    ['error_text', 'answered', long],
    ['leak', 'leakage', long],
    ['foreign_values', 'variables', long],
  ])('%s: %s, among turns that the service stores more than once after ambiguous retries', async (kind, red, turns) => {
    // Short sessions have few turns that can show it.
    const enough = turns === short ? 2 * share : share;
    const played = await play({ embedded: { faults: ambiguous, sabotage: [{ kind, share: enough }] }, turns });
    expectRed(played, kind, red);
    expect(played.stats.turnsRepeated).toBeGreaterThan(0);
    expect(played.result.integrity.afterAmbiguousRetry.checked).toBeGreaterThan(0);
  });

  test.each<[Exclude<SabotageKind, 'idle_amnesia'>, CheckName]>([
    ['drop', 'turns'],
    ['previous', 'stale'],
    ['placeholder', 'placeholder'],
    ['foreign_values', 'variables'],
    ['swap', 'variables'],
  ])('%s: %s, by a passive guard', async (kind, red) => {
    const integrity = { ...active, active: false };
    expectRed(await play({ embedded: { sabotage: [{ kind, share }] }, turns: long, integrity }), kind, red);
  });
});
