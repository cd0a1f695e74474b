import { describe, expect, test } from 'vitest';
import { compareRuns } from '../../test/support/compare-runs.ts';
import { releaseRun } from '../../test/support/release-run.ts';
import type { Result } from '../result/result.ts';

/** Runs in which the first token arrives when an attempt ends, and all gaps are equal. */
const streamed = (name: string, slowness = 1): Result[] =>
  [1, 2, 3].map((draw) => {
    const run = releaseRun({ id: `${name}-${String(draw)}`, draw: draw + 10 * slowness, slowness, sitting: 'tonight' });
    const inPieces = ({ latency }: Result['intervals'][number]) => {
      const attempt = latency['attempt.ok'];
      return attempt === undefined ? latency : { ...latency, 'firstToken.ok': attempt, 'gap.ok': attempt };
    };
    return {
      ...run,
      target: { ...run.target, stream: true },
      stream: { ...run.stream, replies: run.outcomes.attempts.ok },
      intervals: run.intervals.map((interval) => ({ ...interval, latency: inPieces(interval) })),
    };
  });
const compare = (base: readonly Result[], head: readonly Result[], force = false) => compareRuns(base, head, { force });
const wholeOf = (results: readonly Result[]): Result[] =>
  results.map((result) => ({
    ...result,
    run: { ...result.run, id: `whole-${result.run.id}` },
    target: { ...result.target, stream: false },
    stream: { ...result.stream, replies: 0 },
  }));
const ofStreams = ['firstToken.ok.p50', 'firstToken.ok.p99', 'gap.ok.p99'];
const gatedIn = ({ metrics }: ReturnType<typeof compare>): string[] =>
  metrics.filter(({ isGated, name }) => isGated && ofStreams.includes(name)).map(({ name }) => name);

describe('first tokens and gaps', () => {
  test('decide if all runs have streamed replies', () => {
    const { verdict, metrics } = compare(streamed('v1'), streamed('v2', 1.3));
    expect(gatedIn({ metrics } as ReturnType<typeof compare>)).toEqual(ofStreams);
    expect(verdict).toBe('regressed');
    expect(metrics.find(({ name }) => name === 'firstToken.ok.p50')).toMatchObject({ verdict: 'regressed' });
  });

  test('are ignored if no run has any', () => {
    const { metrics } = compare(
      [1, 2, 3].map((draw) => releaseRun({ id: `a-${String(draw)}`, draw, sitting: 'tonight' })),
      [4, 5, 6].map((draw) => releaseRun({ id: `b-${String(draw)}`, draw, sitting: 'tonight' })),
    );
    expect(metrics.filter(({ name }) => /^(firstToken|gap|tokenTime)\./.test(name))).toEqual([]);
  });

  test('decide nothing between a streamed and a non-streamed side, which is rejected unless forced', () => {
    const [base, head] = [streamed('v1'), wholeOf(streamed('v2'))];
    expect(compare(base, head)).toMatchObject({ verdict: 'not_comparable' });
    expect(compare(base, head).comparability.refusals.map(({ key }) => key)).toEqual(['target.stream']);
    expect(gatedIn(compare(base, head, true))).toEqual([]);
  });
});
