import { randomNormal } from 'd3-random';
import { planFor } from '../../test/support/synthetic-run.ts';
import { resultOf, snapshotOf } from '../../test/support/synthetic-result.ts';
import { randomOf } from '../../src/base/random.ts';
import { instant, ms, type Instant } from '../../src/base/time.ts';
import { openResult } from '../../src/compare/figures/open-run.ts';
import type { Recorder } from '../../src/record/recorder.ts';
import type { Result } from '../../src/result/result.ts';
import type { LatencySummary } from '../../src/result/sections/latency-summary.ts';
import { tQuantile } from '../../src/statistics/student-t.ts';
import { withinScatter } from '../../src/statistics/batch-error.ts';
import type { Finding } from '../finding.ts';

const seconds = 300;
const perSecond = 12;
const medianMs = 200;
/** Standard deviations of the logarithm: of a value, of the speed of its second, and of its reply. */
const own = 0.4;
const drift = 0.1;
const ofReply = 0.2;
/** Weight of the previous second in the speed of a second. */
const memory = 0.6;
const gapsPerReply = 4;

interface Subject {
  name: string;
  series: string;
  /** Standard deviation of the logarithm of all values together. */
  sigma: number;
  summaryOf: (result: Result) => LatencySummary;
  record: (recorder: Recorder, endedAt: Instant, draw: { normal: () => number; speed: number }) => void;
}

const session = { number: 1, policy: 0, due: instant(0), startedAt: instant(0) };
const drawn = (normal: () => number, level: number): number => medianMs * Math.exp(own * normal() + level);

const subjects: readonly Subject[] = [
  {
    name: 'turn',
    series: 'turn.ok',
    sigma: Math.hypot(own, drift),
    summaryOf: ({ latency }) => latency.turn,
    record: (recorder, endedAt, { normal, speed }) => {
      const firstSentAt = instant(endedAt - drawn(normal, drift * speed));
      const [due, ready, backoffMs] = [firstSentAt, firstSentAt, ms(0)];
      const at = { session, turn: 1, due, ready, firstSentAt, endedAt };
      recorder.turn({ ...at, outcome: 'ok', attempts: 1, backoffMs, gaveUp: undefined });
    },
  },
  {
    name: 'gap',
    series: 'gap.ok',
    sigma: Math.hypot(own, drift, ofReply),
    summaryOf: ({ latency }) => latency.gap,
    record: (recorder, endedAt, { normal, speed }) => {
      const level = drift * speed + ofReply * normal();
      stream(recorder, endedAt, {
        gapsMs: Array.from({ length: gapsPerReply }, () => drawn(normal, level)),
        tokens: 9,
      });
    },
  },
  {
    name: 'tokenTime',
    series: 'tokenTime',
    sigma: Math.hypot(own, drift),
    summaryOf: ({ latency }) => latency.tokenTime,
    record: (recorder, endedAt, { normal, speed }) =>
      stream(recorder, endedAt, { gapsMs: [drawn(normal, drift * speed)], tokens: 2 }),
  },
];

/** Records one streamed reply that ends with its last content event. */
function stream(recorder: Recorder, endedAt: Instant, { gapsMs, tokens }: { gapsMs: number[]; tokens: number }): void {
  const firstAt = instant(endedAt - gapsMs.reduce((sum, gap) => sum + gap, 0));
  const sentAt = instant(firstAt - 10);
  recorder.attempt({
    session,
    operation: 'message',
    turn: 1,
    attempt: 1,
    countedFrom: sentAt,
    outcome: 'ok',
    detail: '',
    message: '',
    usage: { inputTokens: 10, outputTokens: tokens },
    exchange: {
      sentAt,
      firstByteAt: firstAt,
      endedAt,
      connectMs: undefined,
      reused: true,
      failure: undefined,
      status: 200,
      retryAfter: undefined,
      body: '',
      isUtf8: true,
      detail: '',
      content: { firstAt, firstAnswerAt: firstAt, lastAt: endedAt, hasReasoning: false, gapsMs, sharedReads: 0 },
    },
  });
}

/** Simulates a run against a service whose speed changes slowly from second to second. */
function runOf(seed: number, { record }: Subject): Result {
  const plan = planFor({ target: { protocol: 'openai-chat', stream: true } });
  const normal = randomNormal.source(randomOf(seed))(0, 1);
  let speed = normal();
  const snapshot = snapshotOf(plan, seconds * 1000, (recorder) => {
    for (let second = 0; second < seconds; second++) {
      for (let i = 0; i < perSecond; i++)
        record(recorder, instant((second + (i + 0.5) / perSecond) * 1000), { normal, speed });
      recorder.roll(instant((second + 1) * 1000));
      speed = memory * speed + Math.sqrt(1 - memory ** 2) * normal();
    }
  });
  return resultOf({ plan, snapshot });
}

/** Returns the 95 % confidence interval of the mean from the variance between intervals, as comparisons use it. */
function meanInterval(result: Result, name: string): readonly [number, number] {
  const { window } = openResult(result);
  const { count, sumMs, opened } = window.series(name);
  const mean = sumMs / count;
  const scatter = withinScatter(
    window,
    opened.map((part) => part.sumMs - mean * part.count),
  );
  if (scatter === null) return [NaN, NaN];
  const half = (tQuantile(0.975, scatter.degrees) * scatter.error) / count;
  return [mean - half, mean + half];
}

/** Counts how often 95 % intervals contain the truth, in runs whose values resemble their neighbours. */
export function measureCoverage(runs: number, report: (text: string) => void): Finding[] {
  return subjects.flatMap((subject) => {
    const { name, series, sigma, summaryOf } = subject;
    const truth = {
      mean: medianMs * Math.exp(sigma ** 2 / 2),
      p50: medianMs,
      p95: medianMs * Math.exp(1.6448536 * sigma),
    };
    const held = { mean: 0, p50: 0, p95: 0 };
    for (let seed = 1; seed <= runs; seed++) {
      const result = runOf(seed, subject);
      const { intervals } = summaryOf(result);
      const ends = {
        mean: meanInterval(result, series),
        p50: [intervals?.p50Ms?.lowMs ?? NaN, intervals?.p50Ms?.highMs ?? NaN],
        p95: [intervals?.p95Ms?.lowMs ?? NaN, intervals?.p95Ms?.highMs ?? NaN],
      } as const;
      for (const of of ['mean', 'p50', 'p95'] as const)
        if (ends[of][0] <= truth[of] && truth[of] <= ends[of][1]) held[of]++;
    }
    report(`${name}: ${JSON.stringify(held)} of ${String(runs)}`);
    return (['mean', 'p50', 'p95'] as const).map((of) => ({
      what: `95 % intervals of ${name} ${of} that contain the truth, of ${String(runs)} series`,
      value: (100 * held[of]) / runs,
      unit: '%',
      atLeast: 93.5,
      atMost: 98,
    }));
  });
}
