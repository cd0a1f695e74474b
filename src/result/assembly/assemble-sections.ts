import type { z } from 'zod';
import type { Plan } from '../../plan/plan.ts';
import { dealsPoliciesApart } from '../../plan/shard.ts';
import type { Counters } from '../../record/counters.ts';
import { generatorCount, type Snapshot } from '../../record/snapshot.ts';
import { booksSchema, buildBooks, type Books, type CheckedBooks } from '../books/books.ts';
import type { MeasuredPart } from '../percentiles/percentile-intervals.ts';
import { buildPolicies, retriesSchema } from '../policies/policies.ts';
import { judgePolicies } from '../policies/policy-verdict.ts';
import {
  buildRates,
  ratesSchema,
  type Traffic,
  buildSpending,
  spendingSchema,
  buildLevels,
  concurrencySchema,
} from '../sections/rates.ts';
import { addCountersOf, addTallies, measuredMs, measuredParts, type Figures } from '../sections/figures.ts';
import { buildCost, buildTokens, costSchema, tokensSchema } from '../sections/cost.ts';
import { figureErrorsOf, unmeasuredErrors, type FigureErrors } from '../sections/figure-error.ts';
import { buildIntegrity, integritySchema } from '../sections/integrity.ts';
import { buildLatency, buildPositions, latencySchema, positionsSchema, type Latency } from '../sections/latency.ts';
import { buildModel, modelSchema } from '../sections/model.ts';
import { buildOutcomes, outcomesSchema } from '../sections/outcomes.ts';
import { buildRetryFigures } from '../sections/retries.ts';
import { buildHistory, buildStream, historySchema, streamSchema } from '../sections/stream.ts';
import { transportSchema, type Transport } from '../sections/transport.ts';

export interface SectionContext {
  plan: Plan;
  snapshot: Snapshot;
  /** True if the snapshot contains the intervals of the run; confidence intervals and figures by policy need them. */
  isWhole: boolean;
  measured: Figures;
  whole: Counters;
  timeMs: number;
  through: readonly MeasuredPart[];
  latency: Latency;
  errors: FigureErrors;
  traffic: Traffic | null;
  transport: Transport | null;
  checked: CheckedBooks;
}

export function section<Schema extends z.ZodType, Context = SectionContext>(
  schema: Schema,
  assemble: (from: Context) => z.infer<Schema>,
) {
  return { schema, assemble };
}

/** Sections that depend on figures only, in the order of the document. */
export const figureSections = {
  books: section(
    booksSchema.describe('Counts of all sessions, turns and attempts by their end, including the warm-up'),
    ({ plan, snapshot, checked }) => assembleBooks(plan, snapshot, checked),
  ),
  outcomes: section(outcomesSchema.describe('Outcomes of attempts and turns'), ({ measured, snapshot }) =>
    buildOutcomes(measured, snapshot.examples),
  ),
  latency: section(latencySchema.describe('Latency by series'), ({ latency }) => latency),
  positions: section(
    positionsSchema.describe("Turn latency by the turn's position in its session"),
    ({ plan, measured, through, errors }) => buildPositions(measured.tally, through, errors, resolutionOf(plan)),
  ),
  retries: section(retriesSchema.describe('Costs and gains of retries, in total and by policy'), buildRetries),
  rates: section(ratesSchema.describe('Rates per second'), ({ measured, timeMs, traffic }) => ({
    ...buildRates(measured.counters, timeMs),
    traffic,
  })),
  spending: section(spendingSchema.describe('Consumption, including the warm-up'), ({ whole, plan }) =>
    buildSpending(whole, plan),
  ),
  transport: section(
    transportSchema
      .nullable()
      .describe('Transport of the requests to the target, including the warm-up; null when not measured'),
    ({ transport }) => transport,
  ),
  stream: section(
    streamSchema.describe('Streamed replies, and the token usage that replies reported'),
    ({ measured, timeMs }) => buildStream(measured.counters, timeMs),
  ),
  history: section(
    historySchema.describe('Size of the requests of a turn, by its position in its session'),
    ({ measured }) => buildHistory(measured.counters),
  ),
  tokens: section(
    tokensSchema.describe('Token usage that all replies reported; absent parts are not estimated'),
    ({ measured }) => buildTokens(measured.counters),
  ),
  cost: section(
    costSchema.nullable().describe('Cost of the attempts of turns; null without cost or prices'),
    ({ plan, measured }) => buildCost(measured.counters, plan),
  ),
  model: section(
    modelSchema.nullable().default(null).describe('Model calls behind the agent; null without a model service'),
    ({ plan, measured, snapshot }) => buildModel(measured.counters, plan, snapshot.slowTurns),
  ),
  concurrency: section(concurrencySchema.describe('Concurrent sessions and turns'), ({ snapshot }) => ({
    ...buildLevels(snapshot.levels.filter(({ warmUp }) => !warmUp)),
    maxIsUpperBound: generatorCount(snapshot) > 1,
  })),
  integrity: section(
    integritySchema.describe('Results of the integrity guard, which checks that replies fit their conversations'),
    ({ plan, measured, whole, snapshot }) =>
      buildIntegrity(plan.integrity.mode, { measured: measured.counters, whole, examples: snapshot.violations }),
  ),
};

function buildRetries({ plan, snapshot, isWhole, measured, timeMs, latency, errors }: SectionContext) {
  const { objectiveMs, objectiveFirstTokenMs, objectiveGapMs } = plan;
  const isShared = isWhole && !dealsPoliciesApart(plan.retry.length, generatorCount(snapshot));
  return {
    ...buildRetryFigures(measured, timeMs),
    objectiveMs,
    objectiveFirstTokenMs,
    objectiveGapMs,
    policies: isWhole ? buildPolicies(plan, snapshot, { latency, errors }) : [],
    verdict: isShared ? judgePolicies(plan, snapshot) : null,
  };
}

type Sections = Readonly<Record<string, { schema: z.ZodType; assemble: (from: never) => unknown }>>;
export type Assembled<Table extends Sections> = { [Name in keyof Table]: z.infer<Table[Name]['schema']> };
export type FigureSections = Assembled<typeof figureSections>;

/**
 * Assembles the sections of a snapshot, each computed on first access: most gates that stop a run need only counters, while
 * summarizing latency takes milliseconds. `soFar` and `part`: without confidence intervals and figures by policy, which need the
 * intervals of the whole run; `soFar` also without measurement errors.
 */
export function assembleSections(plan: Plan, snapshot: Snapshot, extent: 'soFar' | 'part' | 'whole'): FigureSections {
  return assemble(
    figureSections,
    contextOf({ plan, snapshot, traffic: null, transport: null }, extent, () => ({
      equations: [],
      hasEnded: extent === 'whole',
    })),
  );
}

/** Returns the context of a snapshot; expensive values are computed on first access. */
export function contextOf(
  given: Pick<SectionContext, 'plan' | 'snapshot' | 'traffic' | 'transport'> & { isUnderWay?: boolean },
  extent: 'soFar' | 'part' | 'whole',
  checked: () => CheckedBooks,
): SectionContext {
  const { snapshot } = given;
  const isWhole = extent === 'whole';
  const through = isWhole ? measuredParts(snapshot) : [];
  const measured = addTallies(snapshot.totals.filter(({ warmUp }) => !warmUp));
  const made: Pick<SectionContext, 'whole' | 'latency' | 'errors' | 'checked'> = lazily({
    whole: () => addCountersOf(snapshot.totals),
    // They take a tenth of a second, too long for every second of a run.
    errors: () =>
      extent !== 'soFar' && given.isUnderWay !== true
        ? figureErrorsOf(measured.tally, { isTls: isTlsTarget(given.plan) })
        : unmeasuredErrors,
    latency: () => buildLatency(measured.tally, through, made.errors, resolutionOf(given.plan)),
    checked,
  });
  return Object.assign(made, { ...given, isWhole, measured, through, timeMs: measuredMs(snapshot) });
}

/** Returns the interval of the polls of a run; streamed replies are not polled. */
function resolutionOf({ target: { stream, pollEveryMs } }: Plan): number | null {
  return stream ? null : (pollEveryMs ?? null);
}

const isTlsTarget = ({ target: { baseUrl } }: Plan): boolean => /^(?:https|wss):/i.test(baseUrl ?? '');

/** Returns the sections of a table, each computed on first access. */
export function assemble<Table extends Sections, Context>(
  table: Table & Readonly<Record<string, { assemble: (from: Context) => unknown }>>,
  context: Context,
): Assembled<Table> {
  return lazily(
    Object.fromEntries(Object.entries(table).map(([name, each]) => [name, () => each.assemble(context)])),
  ) as Assembled<Table>;
}

function lazily<Values extends object>(makers: { readonly [Name in keyof Values]: () => Values[Name] }): Values {
  const made = {};
  for (const [name, make] of Object.entries<() => unknown>(makers))
    Object.defineProperty(made, name, {
      enumerable: true,
      configurable: true,
      get: () => {
        const value = make();
        Object.defineProperty(made, name, { value, enumerable: true });
        return value;
      },
    });
  return made as Values;
}

export function assembleBooks(plan: Plan, { totals }: Snapshot, checked: CheckedBooks): Books {
  const warmUp = addCountersOf(totals.filter((tally) => tally.warmUp));
  return buildBooks({ whole: addCountersOf(totals), warmUp, planned: plan.sessions, ...checked });
}
