import { describe, expect, test } from 'vitest';
import { attemptOf, exchangeOf } from '../../test/support/session-records.ts';
import { finishedRun, resultOf, snapshotOf } from '../../test/support/synthetic-result.ts';
import { planFor } from '../../test/support/synthetic-run.ts';
import { between, instant, type Instant } from '../base/time.ts';
import { sumCounters } from '../record/counters.ts';
import { assembleSections } from './assembly/assemble-sections.ts';
import { metricNamed } from './metrics/metrics.ts';
import { driftLimits } from './drift/find-crossing.ts';
import { judgeGates, readGates } from './gates/gates.ts';
import type { Result } from './result.ts';
import type { ContentTimes } from '../session/send.ts';

const run = finishedRun({ sessions: 600 }, { isStreamed: true });
const result = resultOf(run);
const { streams, attempts } = sumCounters(run.snapshot.totals.map(({ counters }) => counters));
const read = (name: string): number | null => metricNamed(name)?.read(result).value ?? null;

/** Content events in these reads, and others that shared them. */
function contentAt(reads: readonly Instant[], sharedReads: number): ContentTimes {
  const [firstAt = instant(0)] = reads;
  const gapsMs = reads.slice(1).map((at, index) => between(reads[index] ?? firstAt, at));
  return { firstAt, firstAnswerAt: firstAt, lastAt: reads.at(-1) ?? firstAt, hasReasoning: false, gapsMs, sharedReads };
}

describe('the result of a run with streamed replies', () => {
  test('has consistent counts, including turns whose users left', () => {
    expect(result.books.broken).toEqual([]);
    const { planned, ok, failed, aborted, abandoned, skipped_prior_failure, skipped_run_end } = result.books.turns;
    expect(abandoned).toBeGreaterThan(50);
    expect(planned).toBe(ok + failed + aborted + abandoned + skipped_prior_failure + skipped_run_end);
    expect(abandoned).toBe(attempts.abandoned);
  });

  test('does not count users who left as failures', () => {
    const { turns } = result.outcomes;
    const failed = Object.entries(turns).filter(([name]) => !/^(ok|aborted|abandoned|skipped_.*)$/.test(name));
    const sum = failed.reduce((all, [, count]) => all + count, 0);
    expect(read('turns.failedShare')).toBe(sum / (turns.ok + sum));
    expect(read('turns.abandonedShare')).toBe(turns.abandoned / (turns.ok + sum + turns.abandoned));
    expect(result.latency.turn.count).toBe(turns.ok + sum);
    expect(result.retries.goodput.share).toBe(turns.ok / (turns.ok + sum));
    expect(result.retries.byCause.abandoned).toBe(0);
  });

  test('publishes streamed content', () => {
    const { stream } = result;
    const [replies, gaps] = [streams.ok + streams.failed, streams.gapsOk + streams.gapsFailed];
    const later = gaps + streams.sharedReads;
    expect(stream).toMatchObject({ replies, contentEvents: replies + later, sharedReads: streams.sharedReads / later });
    expect(stream.outputTokensPerSecond).toBeCloseTo(streams.outputTokens / (result.rates.measuredMs / 1000), 9);
    expect(stream.outputTokens).toBe(12 * stream.reportedUsage);
    expect(result.latency.gap.count).toBe(gaps);
    expect(result.latency.firstToken.failed.count).toBe(streams.failed);
    expect(result.history.map(({ bodyBytes }) => bodyBytes).slice(0, 2)).toEqual([100, 200]);
    expect(result.history.every(({ inputTokens }) => inputTokens === 40)).toBe(true);
  });

  test.each([
    ['firstToken.p95', result.latency.firstToken.p95Ms],
    ['firstToken.ok.p50', result.latency.firstToken.ok.p50Ms],
    ['gap.p99', result.latency.gap.p99Ms],
    ['tokenTime.p50', result.latency.tokenTime.p50Ms],
    ['replyTail.p90', result.latency.replyTail.p90Ms],
    ['effectiveFirstToken.p90', result.latency.effectiveFirstToken.p90Ms],
    ['firstAnswer.p50', result.latency.firstAnswer.p50Ms],
    ['stream.sharedReads', result.stream.sharedReads],
    ['stream.outputTokensPerSecond', result.stream.outputTokensPerSecond],
  ])('has %s for gates', (name, value) => {
    expect(value).not.toBeNull();
    expect(read(name)).toBe(value);
  });

  test('is judged by gates on them, also during the run', () => {
    const asked = finishedRun({ gates: { 'firstToken.p95': '< 1ms', 'stream.sharedReads': '< 100%' } }).plan;
    const gates = readGates(asked).flatMap((gate) => ('ok' in gate ? [gate.ok] : []));
    const verdicts = judgeGates(gates, {
      ...assembleSections(asked, run.snapshot, 'soFar'),
      validity: result.validity,
      scenario: result.scenario,
    });
    expect(verdicts.map(({ metric, verdict }) => [metric, verdict])).toEqual([
      ['firstToken.p95', 'fail'],
      ['stream.sharedReads', 'pass'],
      ['turns.ok', 'pass'],
    ]);
  });
});

describe('a run whose replies arrived in one read each', () => {
  const gates = { 'gap.p95': '< 100ms', 'tokenTime.p95': '< 100ms' };
  const buffered = (count: number, tookMs: number): Result => {
    const plan = planFor({ gates, target: { protocol: 'openai-chat', stream: true } });
    const content = contentAt([instant(tookMs)], 3);
    const spread = contentAt(
      [0, 5, 9, 12].map((at) => instant(tookMs + at)),
      0,
    );
    const snapshot = snapshotOf(plan, 3000, (observer) => {
      for (let reply = 0; reply < 200; reply++)
        observer.attempt(
          attemptOf({
            usage: { inputTokens: 1, outputTokens: 4 },
            exchange: exchangeOf({ endedAt: instant(tookMs + 20), content: reply < count ? content : spread }),
          }),
        );
    });
    return resultOf({ plan, snapshot }, { isWhole: false });
  };
  const found = ({ validity, warnings }: Result): string[] =>
    [...validity.reasons, ...warnings].map(({ code }) => code).filter((code) => /stream|reads/.test(code));

  test('has no data for gates on gaps and on the time per token, and names the buffering with figures', () => {
    const { gates: verdicts, validity, stream } = buffered(200, 900);
    expect(verdicts.slice(0, 2)).toMatchObject([
      { metric: 'gap.p95', verdict: 'no-data' },
      { metric: 'tokenTime.p95', verdict: 'no-data' },
    ]);
    expect(stream).toMatchObject({
      contentEvents: 800,
      sharedReads: 1,
      severalEvents: 200,
      oneRead: 200,
      buffered: 200,
    });
    expect(validity.reasons.find(({ code }) => code === 'stream_buffered')).toMatchObject({
      severity: 'degraded',
      message: expect.stringContaining('200 of 200 streamed replies with several events arrived in one read') as string,
      remedy: expect.stringContaining('chat-load try shows') as string,
      blame: 'service',
    });
  });

  test.each([
    ['most, slowly', 101, 900, ['stream_buffered']],
    ['half', 100, 900, ['reads_shared']],
    ['a few', 21, 900, ['reads_shared']],
    ['very few', 20, 900, []],
    ['all, faster than they could be held back', 200, 49, ['reads_shared']],
  ])('is named if they are enough: %s', (_, count, tookMs, codes) => {
    expect(found(buffered(count, tookMs))).toEqual(codes);
  });
});

test('a run with non-streamed replies has no share of shared reads, and no token rate', () => {
  const { stream, target } = resultOf(finishedRun());
  expect(target).toMatchObject({ protocol: 'chat-messaging', stream: false });
  expect(stream).toMatchObject({ replies: 0, contentEvents: 0, sharedReads: null, outputTokensPerSecond: null });
});

test('a first token drifts towards its own objective, a turn towards the objective of turns', () => {
  const plan = { objectiveMs: 3000, objectiveFirstTokenMs: 800 };
  const limitOf = (name: string) => driftLimits({ name }, [], plan).map(({ value }) => value);
  expect([limitOf('turn.p95'), limitOf('firstToken.p95'), limitOf('turns.failedShare')]).toEqual([[3000], [800], []]);
});
