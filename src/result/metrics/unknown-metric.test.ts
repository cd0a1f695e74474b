import { expect, test } from 'vitest';
import { unknownMetric } from './unknown-metric.ts';

test.each([
  ['turns.rate', 'rates.turnsPerSecond'],
  ['sessions.rate', 'rates.sessionsPerSecond'],
  ['turnsPerSecond', 'rates.turnsPerSecond'],
  ['errorRate', 'turns.failedShare'],
  ['turns.errors', 'turns.failed'],
  ['turns.p95', 'turn.p95'],
  ['failedShare', 'turns.failedShare'],
  ['latency.p99', 'turn.p99'],
  ['ttft.p95', 'firstToken.p95'],
  ['throughput', 'rates.turnsPerSecond'],
  ['trun.p95', 'turn.p95'],
  ['effectve.p95', 'effective.p95'],
])('the metric meant by %s is %s', (given, meant) => {
  expect(unknownMetric(given)).toBe(`unknown metric '${given}': did you mean '${meant}'?`);
});

test('a metric that resembles none has no suggestion', () => {
  expect(unknownMetric('xyz', ['turn.p95', 'gap.p95'])).toBe("unknown metric 'xyz': known are turn.p95, gap.p95");
});
