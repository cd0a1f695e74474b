import { figuresOf } from './figures/figures-of.ts';
import { metricRules } from './metrics/metric-rules.ts';
import { leastSelfTestRuns, selfTest, type OwnRuns } from './self-test.ts';
import type { Side } from './document/side.ts';

/** The outcome of comparing a release with itself. */
export interface SelfTest {
  runs: number;
  runsPerSide: number;
  draws: number;
  /** Draws in which a deciding metric came out as changed: all false alarms. */
  alarms: number;
}

const mostPerSide = 5;

/** Divides the runs of one release between two sides repeatedly; `null` with fewer than ten runs. */
export function selfTestResults({ runs }: Side, { q }: { q: number }): SelfTest | null {
  if (runs.length < leastSelfTestRuns) return null;
  const runsPerSide = Math.min(mostPerSide, Math.floor(runs.length / 2));
  const found = selfTest(ownRuns(runs), { runsPerSide, q });
  return found === null ? null : { runs: runs.length, runsPerSide, ...found };
}

/** Interleaved runs are split like any others: their pairs are no longer complete. */
function ownRuns(runs: Side['runs']): OwnRuns[] {
  const read = runs.map(({ result }) => ({ sitting: result.run.sitting, figures: figuresOf(result) }));
  return metricRules
    .filter(({ isGated }) => isGated)
    .map((rule) => ({
      rule,
      runs: read.map(({ sitting, figures }) => {
        const reading = figures.get(rule.name);
        return reading !== undefined && 'figure' in reading ? { figure: reading.figure, sitting, pair: null } : null;
      }),
    }));
}
