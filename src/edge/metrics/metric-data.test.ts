import { describe, expect, test } from 'vitest';
import { disagreements } from '../../../test/support/expected-metrics.ts';
import { exportedRun, sumOf, valuesIn } from '../../../test/support/exported-metrics.ts';
import { resultOf } from '../../../test/support/synthetic-result.ts';
import { positions } from '../../record/positions.ts';
import { counterGroups, newCounters } from '../../record/counters.ts';
import { publishedSeries } from '../../record/series.ts';
import { type ExportedRun, exportedSeries } from './exported-metrics.ts';
import { metricDataOf, type HistogramForm } from './metric-data.ts';

const { run, snapshot } = exportedRun();
const result = resultOf({ plan: run.plan, snapshot });
const exported = (form: HistogramForm, of: ExportedRun = run) => valuesIn([...metricDataOf(of, form, Date.now())]);

describe.each(['explicit', 'exponential'] as const)('exported data with %s histograms', (form) => {
  const values = exported(form);

  test('equals the published result, count by count and to the microsecond', () => {
    expect(disagreements(values, result)).toEqual([]);
    expect(result.outcomes.turns.ok).toBeGreaterThan(100);
  });

  test('include the warm-up, and equal the counts of the result', () => {
    const { turns, attempts, sessions, warmUp } = result.books;
    const whole = (name: string, where = {}) => sumOf(values, name, where).value;
    expect(whole('chat_load.turn.sent')).toBe(turns.sent);
    expect(whole('chat_load.turn.outcomes', { 'chat_load.outcome': 'ok' })).toBe(turns.ok);
    expect(whole('chat_load.attempt.outcomes')).toBe(attempts.total);
    expect(whole('chat_load.session.completed')).toBe(sessions.completed);
    expect(warmUp.turns.sent).toBeGreaterThan(0);
  });

  test('equals the published figures of every retry policy', () => {
    const { policies } = result.retries;
    const sides = policies.map(({ name, outcomes, latency }) => [
      [
        sumOf(values, 'chat_load.turn.outcomes', {
          'chat_load.retry.policy': name,
          'chat_load.warm_up': false,
          'chat_load.outcome': 'ok',
        }).value,
        sumOf(values, 'http.client.request.duration', {
          'chat_load.retry.policy': name,
          'chat_load.warm_up': false,
        }).value,
      ],
      [outcomes.turns.ok, latency.attempt.count],
    ]);
    expect(sides).toHaveLength(2);
    for (const [side, published] of sides) expect(side).toEqual(published);
  });

  test('has no value twice', () => {
    const keys = values.map(({ name, attributes }) => JSON.stringify([name, Object.entries(attributes).toSorted()]));
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('the histograms', () => {
  const explicit = [...metricDataOf(run, 'explicit', Date.now())];
  const exponential = [...metricDataOf(run, 'exponential', Date.now())];
  const sum = (counts: readonly number[]): number => counts.reduce((so, each) => so + each, 0);

  test('declare as many values as their buckets contain', () => {
    let points = 0;
    for (const { dataPoints } of [...explicit, ...exponential])
      for (const { value } of dataPoints) {
        if (typeof value === 'number') continue;
        points++;
        const inBuckets =
          'buckets' in value ? sum(value.buckets.counts) : value.zeroCount + sum(value.positive.bucketCounts);
        expect(inBuckets).toBe(value.count);
      }
    expect(points).toBeGreaterThan(50);
  });

  test('exist from the first scrape, so that no increase is missed', () => {
    const { run: fresh } = exportedRun();
    const empty = { ...fresh, totals: () => fresh.totals().map(emptied) };
    const before = [...metricDataOf(empty, 'explicit', Date.now())];
    const points = (metrics: typeof explicit) =>
      metrics.filter(({ descriptor }) => descriptor.unit === 's').map(({ dataPoints }) => dataPoints.length);
    expect(points(before)).toEqual(points(explicit));
  });
});

test('a push contains no series without events', () => {
  expect(exported('exponential').filter(({ name, value }) => value === 0 && !name.endsWith('.active'))).toEqual([]);
  expect(exported('explicit').filter(({ value }) => value === 0).length).toBeGreaterThan(50);
});

const emptied = ({ warmUp, policy }: { warmUp: boolean; policy: number }) => ({
  warmUp,
  policy,
  counters: newCounters(),
  series: {},
});

describe('names', () => {
  test('follow the conventions if one exists', () => {
    const names = Object.fromEntries(publishedSeries.map(({ name }, index) => [name, exportedSeries[index]?.name]));
    expect(names).toMatchObject({
      turn: 'gen_ai.client.operation.duration',
      attempt: 'http.client.request.duration',
      firstByte: 'chat_load.first_byte.duration',
    });
  });

  test('have the attributes that their conventions require', () => {
    const [turn] = exported('explicit').filter(({ name }) => name === 'gen_ai.client.operation.duration');
    expect(turn?.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'chat-messaging',
      'server.address': 'agent.example',
      'server.port': 443,
    });
  });
});

describe('counters', () => {
  /** Values not exported: sums or differences of other counts, the count of a series, or figures of use only in statistics and warnings. */
  const notExported = [
    ...['attempts', 'createAttempts', 'answered', 'connected', 'cutRetries', 'cutCreateRetries'].map(
      (name) => `exchanges.${name}`,
    ),
    ...['lost', 'createLost', 'ofLostTurns'].map((name) => `exchanges.${name}`),
    ...['safeRetries', 'riskyRetries', 'safeCreateRetries', 'riskyCreateRetries'].map((name) => `exchanges.${name}`),
    ...['conflicts', 'explainedConflicts'].map((name) => `exchanges.${name}`),
    ...['ok', 'failed', 'answersOk', 'answersFailed', 'timed', 'gapsOk', 'gapsFailed', 'turnsOk', 'turnsFailed'].map(
      (name) => `streams.${name}`,
    ),
    ...Object.keys(newCounters().sessionSums).map((name) => `sessionSums.${name}`),
    ...Object.keys(newCounters().signs).map((name) => `signs.${name}`),
    ...['sampled', 'replies'].map((name) => `readDelays.${name}`),
    'tokens.cacheable',
    ...['calls', 'neededCalls', 'okTurnCalls', 'orphanedUs', 'afterReplyUs', 'streamed', 'closedLate', 'timed'].map(
      (name) => `modelCalls.${name}`,
    ),
    ...['endedAfterCalls', 'relayed'].map((name) => `modelAttempts.${name}`),
    ...['cacheWrite', 'reasoning', 'cacheable', 'reported', 'inputBytes'].map((name) => `modelTokens.${name}`),
    ...['orphaned', 'repeated', 'afterReply', 'wasted'].map((name) => `modelSpending.${name}Nanos`),
    ...positions.flatMap((at) => [`replyEnds.${at}.empty`, `replyEnds.${at}.length`]),
  ];

  test('are all exported, except those covered by another value', () => {
    const plan = { ...run.plan, cost: { hash: '' } };
    const withCost: ExportedRun = { ...run, plan, totals: () => run.totals().slice(0, 1).map(emptied) };
    const unchanged = JSON.stringify(exported('explicit', withCost));
    const missing = counterGroups.flatMap((group) =>
      [...Object.keys(newCounters()[group]), ...(group.endsWith('ByAttempts') ? ['1'] : [])]
        .filter((name) => JSON.stringify(exported('explicit', bumped(withCost, { group, name }))) === unchanged)
        .map((name) => `${group}.${name}`),
    );
    expect(missing.toSorted()).toEqual(notExported.toSorted());
  });

  test('of cost are exported only if the scenario declares the cost of replies', () => {
    const hasCost = (of: ExportedRun) =>
      exported('explicit', of).some(({ name }) => name === 'chat_load.spending.cost');
    expect([hasCost(run), hasCost({ ...run, plan: { ...run.plan, cost: { hash: '' } } })]).toEqual([false, true]);
  });
});

/** The run with one counter of one part raised. */
function bumped(
  of: ExportedRun,
  { group, name }: { group: (typeof counterGroups)[number]; name: string },
): ExportedRun {
  const [first, ...rest] = of.totals();
  if (first === undefined) throw new Error('a run has parts');
  const counts: Record<string, number> = { ...first.counters[group] };
  counts[name] = (counts[name] ?? 0) + 1_000_000;
  const changed = { ...first, counters: { ...first.counters, [group]: counts } };
  return { ...of, totals: () => [changed, ...rest] };
}
