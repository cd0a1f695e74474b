import { describe, expect, test } from 'vitest';
import type { EmbeddedOptions } from '../../src/scenario/embedded.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { conduct } from '../support/conduct.ts';
import { openService } from '../support/reference-client.ts';

const share = 0.05;
/** Timeout for late replies: long enough that a busy machine adds no timeouts. */
const short = { timeout: '5s' } satisfies Partial<Scenario>;
type Faults = NonNullable<EmbeddedOptions['faults']>;

/** Sessions at load against a service with these faults; every turn is ok in the end unless configured otherwise. */
async function play(faults: Faults, scenario: Partial<Scenario> = {}) {
  const { baseUrl, stats } = await openService({ latency: { median: '4ms', sigma: 0.5 }, faults });
  const { integrity, outcomes, books, retries } = await conduct(
    {
      sessions: 120,
      load: { concurrency: 50 },
      turns: { min: 1, max: 8 },
      integrity: { active: true, transcript: 'conversation' },
      timeout: '30s',
      retry: { maxAttempts: 20, base: '1ms', factor: 1, jitter: 'none' },
      variableValues: { customerName: 'Ada', orderNumber: '{{session.number}}' },
      messages: ['Where is my order?', 'And when will it come?'],
      ...scenario,
    },
    { baseUrl },
  );
  expect(books.balanced).toBe(true);
  return { integrity, outcomes, retries, books, stats: stats() };
}

describe("the service's ledger and the client's agree on the turns that were stored again after ambiguous retries", () => {
  test.each<[string, Faults, Partial<Scenario>?]>([
    ['replies cut half-way', [{ kind: 'cut', share }]],
    ['replies that come after the timeout', [{ kind: 'stall', for: '7s', share: 0.05 }], short],
    [
      'all of it at once, with refusals before any work',
      [
        { kind: 'cut', share },
        { kind: 'stall', for: '7s', share: 0.01 },
        { kind: 'reset', share },
        { kind: 'close', share },
        { kind: 'internal_error', share },
        { kind: 'provider', share },
        { kind: 'rate_limited', share },
      ],
      short,
    ],
    [
      'conversations longer than the list that a reply carries',
      [{ kind: 'cut', share: 0.2 }],
      { sessions: 20, turns: 30 },
    ],
    [
      'a guard that says nothing, where no text comes twice',
      [
        { kind: 'cut', share },
        { kind: 'reset', share },
      ],
      // Without tags a turn is identified only by its text, so each needs a unique one.
      { integrity: { active: false, transcript: 'conversation' }, messages: ['Question {{turn.number}}?'] },
    ],
  ])('%s', async (_, faults, scenario) => {
    const { integrity, outcomes, books, stats } = await play(faults, scenario);
    const { turns } = integrity;
    expect(turns.repeated).toBe(stats.turnsRepeated);
    expect(turns.repeated).toBeGreaterThanOrEqual(10);
    // Counted in another way: everything stored in addition to one entry per turn.
    expect(outcomes.turns.ok).toBe(books.turns.planned);
    expect(stats.turnsStored - outcomes.turns.ok).toBe(turns.repeated);
    expect([turns.lost, turns.duplicated, turns.reordered, integrity.verdict]).toEqual([0, 0, 0, 'pass']);
    expect(integrity.afterAmbiguousRetry.checked).toBeGreaterThanOrEqual(10);
  });

  test.each<[string, Faults]>([
    [
      'ambiguous failures behind which no work was done',
      [
        { kind: 'reset', share },
        { kind: 'internal_error', share },
        { kind: 'server_error', share },
      ],
    ],
    ['refusals', [{ kind: 'rate_limited', share }]],
  ])('none, after %s', async (_, faults) => {
    const { integrity, retries, stats } = await play(faults);
    expect(retries.retries).toBeGreaterThan(0);
    expect([integrity.turns.repeated, stats.turnsRepeated, integrity.verdict]).toEqual([0, 0, 'pass']);
  });

  test('except turns that failed for good: no reply shows whether the service stored them', async () => {
    const retry = { maxAttempts: 2, base: '1ms', jitter: 'none' } as const;
    const { integrity, outcomes, stats } = await play([{ kind: 'cut', share: 0.2 }], { retry });
    const failed = outcomes.turns.connection_lost;
    expect(failed).toBeGreaterThan(0);
    // Each of them was cut twice, and stored twice.
    expect(stats.turnsRepeated - integrity.turns.repeated).toBe(failed);
  });
});

test('retries to a service that is said to be idempotent are safe, and what it stores twice is its fault', async () => {
  const retry = { maxAttempts: 20, base: '1ms', jitter: 'none', idempotent: true } as const;
  const { integrity, retries, stats } = await play([{ kind: 'cut', share }], { retry });
  expect(retries.retries).toBeGreaterThan(0);
  expect([retries.ambiguous, retries.creations.ambiguous]).toEqual([0, 0]);
  expect(stats.turnsRepeated).toBeGreaterThan(0);
  expect([integrity.turns.repeated, integrity.afterAmbiguousRetry.checked, integrity.verdict]).toEqual([0, 0, 'fail']);
});

test('a passive guard does not blame a healthy service if texts repeat', async () => {
  const integrity = { active: false, transcript: 'conversation' };
  const played = await play([{ kind: 'cut', share: 0.2 }], { integrity });
  expect(played.integrity.afterAmbiguousRetry.checked).toBeGreaterThanOrEqual(10);
  expect([played.integrity.failed, played.integrity.verdict]).toEqual([0, 'pass']);
  // Even if nothing was sent twice, the list is compared with the messages sent.
  expect(played.integrity.checks.find(({ name }) => name === 'turns')?.checked).toBeGreaterThanOrEqual(10);
});
