import { z } from 'zod';
import { listOf, text, textOrNull, flag } from '../base/field.ts';
import { planSchema, type Plan } from '../plan/plan.ts';
import { maxIntervalEntries } from '../record/interval-width.ts';
import type { Snapshot } from '../record/snapshot.ts';
import { maxGates } from '../scenario/gate-options.ts';
import {
  assemble,
  assembleBooks,
  contextOf,
  figureSections,
  section,
  type SectionContext,
} from './assembly/assemble-sections.ts';
import { assertBooks } from './books/assert-books.ts';
import { assertPublished } from './books/assert-published.ts';
import type { CheckedBooks } from './books/books.ts';
import { assertSums } from './books/equation.ts';
import { buildDrift } from './drift/build-drift.ts';
import { driftSchema, type Drift, driftWarnings } from './sections/drift.ts';
import { gateVerdictSchema, judgeGates, readGates, type Gate } from './gates/gates.ts';
import type { Published } from './metrics/metric.ts';
import { type Calibration, feltLoad, readingSchema, stateReading } from './sections/calibration.ts';
import { environmentSchema, type Environment } from './sections/environment.ts';
import { exampleSchema } from '../record/examples.ts';
import type { Figures } from './sections/figures.ts';
import { buildGeneratorError, generatorErrorSchema } from './sections/generator-error.ts';
import { generatorHealthSchema, type GeneratorHealth, type GeneratorSample } from './sections/generator-health.ts';
import { buildIntegrityFigures } from './sections/integrity.ts';
import { buildIntervals, intervalSchema, type Interval } from './sections/intervals.ts';
import type { Traffic } from './sections/rates.ts';
import { runSchema, type RunFacts } from './sections/run-facts.ts';
import { buildTargetMetrics, targetMetricsSchema, type MetricsEndpoint } from './sections/target-metrics.ts';
import type { Transport } from './sections/transport.ts';
import {
  warningSchema,
  type Warning,
  cacheWarnings,
  droppedCookiesWarnings,
  emptyReplyWarnings,
  ignoredCookiesWarnings,
  integrityWarnings,
  sharedReadsWarnings,
  unusedModelWarnings,
  skippedLinesWarnings,
  tlsWarnings,
} from './sections/warning.ts';
import { unpricedWarnings } from './sections/price-warnings.ts';
import { conflictWarnings, unreadWaitWarnings } from './sections/refusal-warnings.ts';
import { findDoubtful, headlineMetrics } from './metrics/doubtful.ts';
import { judgeValidity, validitySchema } from './validity/judge-validity.ts';
import { traceWarnings } from './warnings/trace-warnings.ts';

export interface ResultParts {
  plan: Plan;
  snapshot: Snapshot;
  run: RunFacts;
  environment: Environment | null;
  generator: GeneratorHealth | null;
  generatorSamples?: readonly GeneratorSample[];
  traffic: Traffic | null;
  transport: Transport | null;
  calibration?: Calibration | null;
  /** Metrics scraped from the target. */
  targetMetrics?: readonly MetricsEndpoint[];
  warnings: readonly Warning[];
  /** The snapshots that `snapshot` was merged from, to check the sum; empty for a run of one worker. */
  workers?: readonly Snapshot[];
  /** False for the incomplete snapshot of a run that died. Default true. */
  isWhole?: boolean;
  /** True during the run: the equations of its books hold only at its end, and are not checked. Default false. */
  isUnderWay?: boolean;
}

/** Input of all sections: the figures, the remaining parts, and the sections that others depend on. */
interface ResultContext extends SectionContext {
  parts: ResultParts;
  gates: readonly Gate[];
  made: Made;
}

type Made = Published & { drift: Drift; intervals: readonly Interval[] };

const scenarioSchema = z.object({
  name: text('Name of the scenario'),
  hash: text('SHA-256 of the workload and its policies: runs with different hashes cannot be compared'),
  seed: z.int().describe('Seed of the sessions'),
  plan: planSchema.describe('Resolved options, with the source of each value'),
});

const targetSchema = z.object({
  baseUrl: textOrNull('Base URL of the service; null for the embedded one'),
  embedded: flag('True for the embedded service, started for the run'),
  agentId: text('Agent or model; empty for a custom protocol without one'),
  protocol: text('Name of the protocol'),
  stream: flag('True if streamed replies were requested'),
});

/** All sections of a result, in the order of the document. A new one needs an entry here and its outline in the report. */
const sections = {
  run: section(
    runSchema.describe('Identity, times and status of the run'),
    ({ parts: { run, snapshot } }: ResultContext) => ({ ...run, durationMs: snapshot.elapsedMs }),
  ),
  scenario: section(scenarioSchema.describe('The scenario that was run'), ({ plan }) => ({
    name: plan.name,
    hash: plan.hash,
    seed: plan.seed,
    plan,
  })),
  target: section(targetSchema.describe('The service that was loaded'), ({ plan: { target } }) => {
    const { agentId, baseUrl, protocol, stream } = target;
    return { baseUrl, embedded: baseUrl === null, agentId, protocol, stream };
  }),
  environment: section(
    environmentSchema.nullable().describe('Machine and build that generated the load; null if unknown'),
    ({ parts }: ResultContext) => parts.environment,
  ),
  ...figureSections,
  drift: section(driftSchema.describe('Drift during the run'), ({ plan, made, gates }: ResultContext) =>
    buildDrift({ plan, intervals: made.intervals, gates }),
  ),
  gates: section(
    listOf(gateVerdictSchema, maxGates).describe('Verdicts on the conditions of the scenario'),
    ({ gates, made }: ResultContext) => judgeGates(gates, made),
  ),
  validity: section(
    validitySchema.describe('Validity verdict of the run, with its reasons'),
    ({ parts: { plan, run, snapshot, generator, environment }, made, gates }: ResultContext) => {
      const { books, outcomes, latency, drift, model, stream } = made;
      const doubtful = findDoubtful([...headlineMetrics, ...gates.map(({ metric }) => metric.name)], made);
      const seen = { examples: snapshot.examples, elapsedMs: snapshot.elapsedMs, stop: run.stop };
      const around = { generator, environment, plannedSessions: plan.sessions, auth: plan.target.auth };
      const offered = { load: plan.load, intervals: made.intervals };
      return judgeValidity({ books, outcomes, latency, doubtful, drift, model, stream, ...seen, ...around, offered });
    },
  ),
  targetMetrics: section(
    targetMetricsSchema
      .nullable()
      .default(null)
      .describe('Metrics of the target, including the warm-up; null without target.metrics, or for a run that died'),
    ({ parts: { targetMetrics = [] }, whole }: ResultContext) => buildTargetMetrics(targetMetrics, whole),
  ),
  generator: section(
    generatorHealthSchema
      .extend({ error: generatorErrorSchema })
      .nullable()
      .describe('Load on the generator; null when not measured'),
    ({ parts, measured }: ResultContext) =>
      parts.generator && { ...parts.generator, error: buildGeneratorError(measured.tally) },
  ),
  calibration: section(
    readingSchema
      .nullable()
      .describe(
        'Measurement error of the percentiles at the load of this run; null when this machine was not calibrated',
      ),
    ({ parts: { calibration = null }, made }: ResultContext) =>
      stateReading(calibration, feltLoad(made.intervals, made.concurrency)),
  ),
  intervals: section(
    listOf(intervalSchema, maxIntervalEntries).describe('The run over time; intervals of the warm-up are marked'),
    ({ parts }: ResultContext) => buildIntervals(parts.snapshot, parts.generatorSamples, parts.plan),
  ),
  examples: section(
    z.array(exampleSchema).describe('At most ten examples of each class of failed attempts'),
    ({ snapshot }) => snapshot.examples.filter(({ outcome }) => outcome !== 'ok'),
  ),
  warnings: section(z.array(warningSchema).describe('Further warnings'), findWarnings),
};
type Sections = typeof sections;

export const resultKind = 'chat-load/result';

/** Published document of a run; the source of comparisons and reports. */
export const resultSchema = z
  .object({
    kind: z.literal(resultKind).describe('Type of this document'),
    schemaVersion: z
      .literal(1)
      .describe('Increases when a field is removed or changes its meaning; additional fields do not'),
    ...(Object.fromEntries(Object.entries(sections).map(([name, { schema }]) => [name, schema])) as {
      [Name in keyof Sections]: Sections[Name]['schema'];
    }),
  })
  .describe(
    'The result of a chat-load run. Published figures exclude sessions and turns that began in the warm-up, unless stated otherwise.',
  );

export type Result = z.infer<typeof resultSchema>;

/** Builds the published document; pure and deterministic. */
export function buildResult(parts: ResultParts): Result {
  const context: ResultContext = Object.assign(
    contextOf(parts, 'whole', () => checkBooks(parts, context.made)),
    { parts, gates: gatesOf(parts.plan), made: {} as Made },
  );
  const made = assemble(sections, context);
  context.made = made;
  return { kind: resultKind, schemaVersion: 1, ...made };
}

function checkBooks(parts: ResultParts, published: Made): CheckedBooks {
  const { plan, snapshot, workers = [], isWhole: hasEnded = true, isUnderWay = false } = parts;
  if (isUnderWay) return { equations: [], hasEnded: false };
  const equations = [
    ...assertBooks(plan, snapshot),
    ...assertPublished(published, assembleBooks(plan, snapshot, { equations: [], hasEnded })),
    ...(workers.length === 0
      ? []
      : assertSums(
          'workers',
          snapshot.totals,
          workers.flatMap((each) => each.totals),
        )),
  ];
  return { equations, hasEnded };
}

/** Returns the gates of a plan, which were checked before the start: an invalid one is a bug. */
const gatesOf = (plan: Plan): Gate[] =>
  readGates(plan).map((read) => {
    if ('problem' in read) throw new Error(read.problem);
    return read.ok;
  });

function findWarnings({ parts, plan, whole, measured, transport, made }: ResultContext): Warning[] {
  const { run } = parts;
  // Issued during the run, with the counts of that time or of one process.
  const warnings = parts.warnings.filter(({ code }) => !countedAtEnd.includes(code));
  // A worker may have issued the same warning.
  const isNew = (found: Warning): boolean => warnings.every(({ code }) => code !== found.code);
  return [
    ...warnings,
    ...integrityWarnings(plan, buildIntegrityFigures(whole)),
    ...skippedLinesWarnings(plan),
    ...traceWarnings(plan),
    ...driftWarnings(made.drift),
    ...tlsWarnings(transport?.tls ?? null, run.startedAt).filter(isNew),
    ...emptyReplyWarnings(made.outcomes),
    ...sharedReadsWarnings(made.stream),
    ...unpricedWarnings(made.cost, plan),
    ...unreadWaitWarnings(whole),
    ...conflictWarnings(whole),
    ...cacheWarnings(whole),
    ...ignoredCookiesWarnings(whole),
    ...droppedCookiesWarnings(whole),
    ...unusedModelWarnings(plan, whole, parts.isUnderWay === true),
    ...clampWarnings(measured),
  ];
}

/** Warnings that are shown during a run, and that the result states with the counts of the whole run. */
const countedAtEnd = ['integrity_unsupported', 'model_unused'];

function clampWarnings({ tally }: Figures): Warning[] {
  const clamped = Object.values(tally.series).reduce((sum, series) => sum + series.clamped, 0);
  if (clamped === 0) return [];
  return [
    {
      code: 'durations_clamped',
      message: `${String(clamped)} durations over one hour were recorded as one hour`,
      remedy: null,
    },
  ];
}
