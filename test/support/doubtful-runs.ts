import { compareResults } from '../../src/compare/compare-results.ts';
import type { Comparison } from '../../src/compare/document/comparison.ts';
import type { Result } from '../../src/result/result.ts';
import { releaseRun } from './release-run.ts';

/** Returns the same error, in milliseconds, for every figure of a series. */
export function errorOf(ms: number): NonNullable<Result['latency']['turn']['errorMs']> {
  return { meanMs: ms, p50Ms: ms, p75Ms: ms, p90Ms: ms, p95Ms: ms, p99Ms: ms, p999Ms: ms, p9999Ms: ms };
}

/** A run of a pair whose latencies, 200 ms in the median, have this measurement error. */
function runOf(side: string, pair: number, errorMs: number, slowness = 1): Result {
  const run = releaseRun({
    id: `${side}-${String(pair)}`,
    draw: pair + (side === 'head' ? 10 : 0),
    sitting: 's',
    pair: String(pair),
    slowness,
  });
  const { turn, attempt, sessionCreate } = run.latency;
  turn.ok = { ...turn.ok, errorMs: errorOf(errorMs) };
  attempt.ok = { ...attempt.ok, errorMs: errorOf(errorMs) };
  run.latency.sessionCreate = { ...sessionCreate, errorMs: errorOf(errorMs) };
  return run;
}

/** Compares two releases by pairs of runs with these measurement errors. */
export function compareRuns(errors: Record<'base' | 'head', readonly number[]>, slowness = 1): Comparison {
  return compareResults({
    toolVersion: '1',
    base: {
      label: 'v1',
      runs: errors.base.map((each, at) => ({ file: `b${String(at)}`, result: runOf('base', at, each) })),
    },
    head: {
      label: 'v2',
      runs: errors.head.map((each, at) => ({ file: `h${String(at)}`, result: runOf('head', at, each, slowness) })),
    },
  });
}
