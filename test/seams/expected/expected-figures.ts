import type { Plan } from '../../../src/plan/plan.ts';
import { flatten, type Figures } from '../figures.ts';
import type { Fact, Foreseen, RunPart } from '../oracle/facts.ts';
import { booksOf, plannedInWarmUp, plannedOf, spendingOf } from './books.ts';
import { intervalsOf } from './intervals.ts';
import { levelsOf } from './levels.ts';
import { positionsOf, publishedOf } from './published.ts';
import { Tally } from './tally.ts';
import { gatesOf, reasonsOf } from './verdicts.ts';

/** The knowledge behind a result: the whole run, or a part of its journal. */
export interface Told {
  plan: Plan;
  facts: readonly Fact[];
  stretches: readonly RunPart[];
  endedAt: number;
  /** Whether the run reports its own end: only then is the number of overdue sessions known. */
  hasEnded: boolean;
  /** Whether the cause of the stop has its own remedy; unknown for a recovered run. */
  hasRemedy: boolean;
}

const remedied: readonly (string | null)[] = ['circuit', 'target_gone', 'no_success', 'target_unfit'];

export function wholeRun(plan: Plan, { facts, stretches, endedAt, stop }: Foreseen): Told {
  return {
    plan,
    facts,
    stretches,
    endedAt,
    hasEnded: true,
    hasRemedy: remedied.includes(stop),
  };
}

/** Returns what is known of a killed run: events before an instant, as far as they were reported by the kill. */
export function partOf(told: Told, knownUntil: number, killedAt: number): Told {
  return {
    ...told,
    facts: told.facts.filter(({ at, toldAt }) => at < knownUntil && toldAt <= killedAt),
    endedAt: knownUntil,
    hasEnded: false,
    hasRemedy: false,
  };
}

/** Every figure of a result that follows from the facts. */
export function expectedFigures({ plan, facts, stretches, endedAt, hasEnded }: Told): Figures {
  const [whole, warmUp] = [new Tally(facts), new Tally(facts.filter(({ from }) => from < plan.warmUpMs))];
  const measured = facts.filter(({ from }) => from >= plan.warmUpMs);
  const measuredMs = Math.max(0, endedAt - plan.warmUpMs);
  const ofPolicy = (policy: number): Tally => new Tally(measured.filter((fact) => fact.policy === policy));
  return flatten({
    books: { ...booksOf(whole, plannedOf(plan, whole)), warmUp: booksOf(warmUp, plannedInWarmUp(warmUp)) },
    ...publishedOf(new Tally(measured), measuredMs),
    positions: positionsOf(new Tally(measured)),
    concurrency: levelsOf(stretches, Math.min(plan.warmUpMs, endedAt), endedAt),
    spending: spendingOf(plan, whole),
    policies: Object.fromEntries(plan.retry.map(({ name }, at) => [name, publishedOf(ofPolicy(at), measuredMs)])),
    gates: gatesOf(new Tally(measured), hasEnded),
    intervals: intervalsOf(facts, plan.warmUpMs),
  });
}

/** The codes of the reasons against a run that follow from the facts. */
export function expectedReasons({ plan, facts, endedAt, hasRemedy }: Told): string[] {
  return reasonsOf(new Tally(facts.filter(({ from }) => from >= plan.warmUpMs)), {
    whole: new Tally(facts),
    endedAt,
    hasRemedy,
  });
}
