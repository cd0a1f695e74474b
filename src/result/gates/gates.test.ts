import { describe, expect, test } from 'vitest';
import { finishedRun, resultOf, snapshotOf } from '../../../test/support/synthetic-result.ts';
import { planFor } from '../../../test/support/synthetic-run.ts';
import { judgeGates, readGate, type Gate, conditionForms } from './gates.ts';
import { metrics } from '../metrics/metrics.ts';
import type { Result } from '../result.ts';

const result = resultOf(finishedRun());
const plan = planFor();
const nothing = resultOf({ plan, snapshot: snapshotOf(plan, 0, () => undefined) });

function gate(metric: string, condition: string): Gate {
  const read = readGate(metric, condition);
  if ('problem' in read) throw new Error(read.problem);
  return read.ok;
}
const judge = (metric: string, condition: string, of: Result = result) => judgeGates([gate(metric, condition)], of)[0];
const valueOf = (metric: string, of: Result = result) => metrics.find(({ name }) => name === metric)?.read(of).value;

describe('a metric', () => {
  test('has a unique name, a unit and a meaning', () => {
    expect(new Set(metrics.map(({ name }) => name)).size).toBe(metrics.length);
    expect(metrics.every(({ meaning }) => meaning.length > 5)).toBe(true);
  });

  test('reads the figure that it names', () => {
    const { latency, positions, outcomes, retries, rates } = result;
    const failed = latency.turn.failed.count;
    const finished =
      Object.values(outcomes.attempts).reduce((sum, count) => sum + count, 0) - outcomes.attempts.aborted;
    expect({
      'turn.p95': valueOf('turn.p95'),
      'attempt.failed.mean': valueOf('attempt.failed.mean'),
      'effective.ok.max': valueOf('effective.ok.max'),
      'sessionCreate.min': valueOf('sessionCreate.min'),
      'position.5-8.p50': valueOf('position.5-8.p50'),
      'turns.failedShare': valueOf('turns.failedShare'),
      'outcomes.rate_limited.share': valueOf('outcomes.rate_limited.share'),
      'retries.amplification': valueOf('retries.amplification'),
      'rates.turnsPerSecond': valueOf('rates.turnsPerSecond'),
      validity: valueOf('validity'),
    }).toEqual({
      'turn.p95': latency.turn.p95Ms,
      'attempt.failed.mean': latency.attempt.failed.meanMs,
      'effective.ok.max': latency.effective.ok.maxMs,
      'sessionCreate.min': latency.sessionCreate.minMs,
      'position.5-8.p50': positions[3]?.p50Ms,
      'turns.failedShare': failed / (failed + latency.turn.ok.count),
      'outcomes.rate_limited.share': outcomes.attempts.rate_limited / finished,
      'retries.amplification': amplificationInBooks(result),
      'rates.turnsPerSecond': (failed + latency.turn.ok.count) / (rates.measuredMs / 1000),
      validity: ['invalid', 'degraded', 'valid'].indexOf(result.validity.verdict),
    });
    expect(retries.amplification).toBeGreaterThan(1);
  });

  test('of a run without events has no value, with the reason', () => {
    const told = metrics.filter((metric) => metric.read(nothing).value !== null).map(({ name }) => name);
    expect(told).toEqual(['validity']);
    expect(judge('outcomes.timed_out.count', '< 1', nothing)).toMatchObject({
      verdict: 'no-data',
      reason: 'no samples',
    });
  });
});

const amplificationInBooks = ({ books }: Result): number => books.attempts.total / books.turns.sent;

describe('a gate', () => {
  test.each([
    ['turn.p95', '< 2s', 2000],
    ['turn.mean', '<=250ms', 250],
    ['attempt.p99.9', ' >  1.5m ', 90_000],
    ['effective.adjusted.p95', '< 1h', 3_600_000],
    ['position.17+.p95', '< 3s', 3000],
    ['position.1.firstToken.p95', '< 3s', 3000],
    ['turns.failedShare', '< 1%', 0.01],
    ['outcomes.rate_limited.share', '<= 0.5 %', 0.005],
    ['retries.amplification', '< 1.2', 1.2],
    ['rates.turnsPerSecond', '>= 20', 20],
    ['rates.goodputPerSecond', '>= 20.5/s', 20.5],
    ['sessions.dropped', '< 1', 1],
    ['validity', '>= degraded', 1],
  ])('%s %s is read', (metric, condition, limit) => {
    expect(gate(metric, condition)).toMatchObject({ limit, condition });
  });

  test.each([
    ['turn.p95', '< 2', "such as '< 250ms', got '< 2': the unit is missing (a number and `ms`,"],
    ['turn.p95', '2s', 'expected a condition'],
    ['turn.p95', '= 2s', 'expected a condition'],
    ['turn.p95', '< -2s', 'expected a condition'],
    ['turn.p95', '', 'expected a condition'],
    ['turns.failedShare', '< 0.01', "such as '< 1%', got '< 0.01': the unit is missing (a number and `%`)"],
    ['rates.turnsPerSecond', '>= 20%', "such as '>= 20/s'"],
    ['retries.amplification', '< 1.2s', "such as '< 1.2'"],
    ['validity', '>= fine', "such as '>= degraded'"],
    ['turn.p59', '< 2s', "unknown metric 'turn.p59': did you mean 'turn.p50'?"],
    ['turns.failed_share', '< 1%', "did you mean 'turns.failedShare'?"],
    ['', '< 1%', "unknown metric ''"],
    ['how good it feels', '< 1%', "unknown metric 'how good it feels': known are turn.p50, "],
  ])('%s %s is rejected before the start', (metric, condition, problem) => {
    expect(readGate(metric, condition)).toMatchObject({ problem: expect.stringContaining(problem) as string });
  });

  test.each(Object.entries(conditionForms))('in %s is read as the docs write it', (unit, { examples }) => {
    const metric = metrics.find((each) => each.unit === unit);
    for (const example of examples) expect(readGate(metric?.name ?? '', example)).toHaveProperty('ok');
  });

  test.each([
    ['<', [true, false, false]],
    ['<=', [true, true, false]],
    ['>', [false, false, true]],
    ['>=', [false, true, true]],
  ])('with %s holds below, at and above its limit by its operator', (operator, expected) => {
    const actual = result.retries.recovered;
    const verdicts = [actual + 1, actual, actual - 1].map((limit) =>
      judge('retries.recovered', `${operator} ${String(limit)}`),
    );
    expect(verdicts.map((each) => each?.verdict === 'pass')).toEqual(expected);
    expect(verdicts[0]).toMatchObject({ actual, unit: 'count', infinite: false, reason: null });
  });

  test('over a percentile below its sample floor has no data, with the needed number', () => {
    expect(judge('turn.p99.99', '< 1h')).toMatchObject({
      verdict: 'no-data',
      actual: null,
      reason: expect.stringMatching(
        `^p99\\.99 needs 66,381 samples, has ${String(result.latency.turn.count)}: run about .* longer, e.g. --sessions \\d+$`,
      ) as string,
    });
  });

  test('over too few connections advises no longer run, which would open none', () => {
    expect(judge('connect.p99.99', '< 1h')).toMatchObject({
      verdict: 'no-data',
      reason: expect.stringMatching(
        /^p99\.99 needs 66,381 samples, has [\d,]+: connections stay open, so raise the number of concurrent sessions \(--concurrency\)$/,
      ) as string,
    });
  });

  test('that is confident and has too few values names the number that its interval needs', () => {
    const read = readGate('turn.p99.99', '< 1h', true);
    const [verdict] = 'ok' in read ? judgeGates([read.ok], result) : [];
    expect(verdict).toMatchObject({
      verdict: 'no-data',
      reason: expect.stringMatching(
        /^p99\.99 has no confidence interval: it needs 1,000,000 values, has .*; .*about .* --sessions \d+/,
      ) as string,
    });
    const [empty] = 'ok' in read ? judgeGates([read.ok], nothing) : [];
    expect(empty).toMatchObject({ verdict: 'no-data', reason: 'no samples' });
  });

  test('over an infinite percentile fails, unless its limit is a minimum', () => {
    expect(result.latency.turn.adjusted.infiniteFrom).toBe('p95Ms');
    expect(judge('turn.adjusted.p95', '< 1h')).toMatchObject({ verdict: 'fail', actual: null, infinite: true });
    expect(judge('turn.adjusted.p95', '> 1h')).toMatchObject({ verdict: 'pass', infinite: true });
    expect(judge('turn.adjusted.p50', '< 1h')).toMatchObject({ verdict: 'pass', infinite: false });
    expect(judge('turn.adjusted.p99.99', '< 1h')).toMatchObject({ verdict: 'no-data' });
  });
});

describe('an invalid gate', () => {
  test.each([
    ['turn.p95', `<${' '.repeat(100_000)}x`],
    ['turn.p95', `< ${'9'.repeat(400)}s`],
    ['outcomes.ok.count', `< ${'9'.repeat(400)}`],
    ['x'.repeat(100_000), '< 1'],
  ])('reports its problem at once, whatever its length', (metric, condition) => {
    expect(readGate(metric, condition)).toHaveProperty('problem');
  });
});
