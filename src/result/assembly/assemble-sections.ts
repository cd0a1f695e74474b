import type { Plan } from '../../plan/plan.ts';
import { dealsPoliciesApart } from '../../plan/shard.ts';
import type { Snapshot } from '../../record/snapshot.ts';
import { buildBooks, type Books } from '../books/books.ts';
import type { Equation } from '../books/equation.ts';
import { buildPolicies } from '../policies/policies.ts';
import { judgePolicies } from '../policies/policy-verdict.ts';
import { buildLevels } from '../sections/concurrency.ts';
import { addCountersOf, addTallies, measuredMs, measuredParts } from '../sections/figures.ts';
import { buildIntegrity } from '../sections/integrity.ts';
import { buildLatency, buildPositions, type Latency } from '../sections/latency.ts';
import { buildOutcomes } from '../sections/outcomes.ts';
import { buildRates } from '../sections/rates.ts';
import { buildRetryFigures } from '../sections/retries.ts';
import { buildHistory, buildStream } from '../sections/stream.ts';

/**
 * The sections of a snapshot, each computed when it is read: most gates that stop a run need only counters,
 * while summing up latency takes milliseconds. `soFar`: without what needs the intervals of the run, which a snapshot of
 * what was closed so far does not hold: intervals of percentiles, and figures by policy.
 */
export function assembleSections(plan: Plan, snapshot: Snapshot, of: 'soFar' | 'whole') {
  const measured = addTallies(snapshot.totals.filter(({ warmUp }) => !warmUp));
  const timeMs = measuredMs(snapshot);
  const through = of === 'whole' ? measuredParts(snapshot) : [];
  let made: Latency | undefined;
  const latencyOf = (): Latency => (made ??= buildLatency(measured.tally, through));
  return {
    /** With no equation checked yet. */
    get books() {
      return assembleBooks(plan, snapshot, { equations: [], hasEnded: of === 'whole' });
    },
    get outcomes() {
      return buildOutcomes(measured);
    },
    get latency() {
      return latencyOf();
    },
    get positions() {
      return buildPositions(measured.tally, through);
    },
    get retries() {
      const figures = { ...buildRetryFigures(measured, timeMs), ...pickObjectives(plan) };
      if (of === 'soFar') return { ...figures, policies: [], verdict: null };
      return {
        ...figures,
        policies: buildPolicies(plan, snapshot, latencyOf()),
        verdict: dealsPoliciesApart(plan.retry.length, snapshot.workers.length) ? null : judgePolicies(plan, snapshot),
      };
    },
    get rates() {
      return buildRates(measured.counters, timeMs);
    },
    get stream() {
      return buildStream(measured.counters, timeMs);
    },
    get history() {
      return buildHistory(measured.counters);
    },
    get concurrency() {
      const levels = snapshot.levels.filter(({ warmUp }) => !warmUp);
      return { ...buildLevels(levels), maxIsUpperBound: snapshot.workers.length > 1 };
    },
    get integrity() {
      const whole = addCountersOf(snapshot.totals);
      const { mode } = plan.integrity;
      return buildIntegrity({ mode, measured: measured.counters, whole, examples: snapshot.violations });
    },
  };
}

const pickObjectives = ({ objectiveMs, objectiveFirstTokenMs, objectiveGapMs }: Plan) => ({
  objectiveMs,
  objectiveFirstTokenMs,
  objectiveGapMs,
});

/** The books of a snapshot, with the equations that were checked on it. */
export function assembleBooks(
  plan: Plan,
  { totals }: Snapshot,
  checked: { equations: readonly Equation[]; hasEnded: boolean },
): Books {
  const warmUp = addCountersOf(totals.filter((tally) => tally.warmUp));
  return buildBooks({ whole: addCountersOf(totals), warmUp, planned: plan.sessions, ...checked });
}
