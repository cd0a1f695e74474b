import { z } from 'zod';
import { listOf, text } from '../base/field.ts';
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
import { publishedExampleSchema } from './sections/example.ts';
import type { Figures } from './sections/figures.ts';
import { generatorHealthSchema, type GeneratorHealth, type GeneratorSample } from './sections/generator-health.ts';
import { buildIntegrityFigures } from './sections/integrity.ts';
import { buildIntervals, intervalSchema, type Interval } from './sections/intervals.ts';
import type { Traffic } from './sections/rates.ts';
import { runSchema, type RunFacts } from './sections/run-facts.ts';
import type { Transport } from './sections/transport.ts';
import {
  warningSchema,
  type Warning,
  integrityWarnings,
  sharedReadsWarnings,
  skippedLinesWarnings,
  tlsWarnings,
} from './sections/warning.ts';
import { judgeValidity, validitySchema } from './validity/judge-validity.ts';

/** Everything that a result is made of. */
export interface ResultParts {
  plan: Plan;
  snapshot: Snapshot;
  run: RunFacts;
  environment: Environment | null;
  /** `null` when not measured. */
  generator: GeneratorHealth | null;
  /** Its load over the run; empty if not measured. */
  generatorSamples?: readonly GeneratorSample[];
  traffic: Traffic | null;
  transport: Transport | null;
  /** Of the machine that the load came from; none when there is none. */
  calibration?: Calibration | null;
  warnings: readonly Warning[];
  /** The snapshots that `snapshot` was merged from, to check the sum; none for a run of one worker. */
  workers?: readonly Snapshot[];
  /** Whether the snapshot has all that happened: not that of a run that died. Default true. */
  isWhole?: boolean;
  /** Whether the run goes on: the equations of its books hold at its end, and are not checked. Default false. */
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
  name: text('The name of the scenario'),
  hash: text('SHA-256 of the workload and its policies: runs with different hashes cannot be compared'),
  seed: z.int().describe('The seed of the sessions'),
  plan: planSchema.describe('The settled options, with where each value came from'),
});

const targetSchema = z.object({
  baseUrl: z.string().nullable().describe('The URL of the service; null for the embedded one'),
  embedded: z.boolean().describe('Whether it was the embedded service, started for the run'),
  agentId: text('The agent or model used; empty for a defined protocol without one'),
  protocol: text('How it was spoken to: the name of a protocol'),
  stream: z.boolean().describe('Whether replies in pieces were asked for'),
});

/** Every section of a result, in the order of the document. A new one needs an entry here and its outline in the report. */
const sections = {
  run: section(runSchema.describe('Which run it was'), ({ parts: { run, snapshot } }: ResultContext) => ({
    ...run,
    durationMs: snapshot.elapsedMs,
  })),
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
    environmentSchema.nullable().describe('Where the load came from; null when it is not known'),
    ({ parts }: ResultContext) => parts.environment,
  ),
  ...figureSections,
  drift: section(
    driftSchema.describe('Whether anything changed during the run'),
    ({ plan, made, gates }: ResultContext) => buildDrift({ plan, intervals: made.intervals, gates }),
  ),
  gates: section(
    listOf(gateVerdictSchema, maxGates).describe('Verdicts on the conditions of the scenario'),
    ({ gates, made }: ResultContext) => judgeGates(gates, made),
  ),
  validity: section(
    validitySchema.describe('Whether the run can be trusted'),
    ({ parts: { plan, run, snapshot, generator, environment }, made }: ResultContext) => {
      const { books, outcomes, latency, drift } = made;
      const seen = { examples: snapshot.examples, elapsedMs: snapshot.elapsedMs, stop: run.stop };
      const around = { generator, environment, plannedSessions: plan.sessions };
      return judgeValidity({ books, outcomes, latency, drift, ...seen, ...around });
    },
  ),
  generator: section(
    generatorHealthSchema.nullable().describe('Load on the generator; null when it was not measured'),
    ({ parts }: ResultContext) => parts.generator,
  ),
  calibration: section(
    readingSchema
      .nullable()
      .describe('How well this generator reads percentiles at the load of this run; null when it was not calibrated'),
    ({ parts: { calibration = null }, made }: ResultContext) =>
      stateReading(calibration, feltLoad(made.intervals, made.concurrency)),
  ),
  intervals: section(
    listOf(intervalSchema, maxIntervalEntries).describe('The run over time; intervals of the warm-up are marked'),
    ({ parts }: ResultContext) => buildIntervals(parts.snapshot, parts.generatorSamples),
  ),
  examples: section(
    z.array(publishedExampleSchema).describe('At most ten attempts of each class that is not ok'),
    ({ snapshot }) => snapshot.examples,
  ),
  warnings: section(z.array(warningSchema).describe('What else a reader should know'), findWarnings),
};
type Sections = typeof sections;

export const resultKind = 'chat-load/result';

/** The published document of a run; comparisons and reports are made from it. */
export const resultSchema = z
  .object({
    kind: z.literal(resultKind).describe('The type of this document'),
    schemaVersion: z
      .literal(1)
      .describe('Increases when a field is removed or changes its meaning; added fields leave it as it is'),
    ...(Object.fromEntries(Object.entries(sections).map(([name, { schema }]) => [name, schema])) as {
      [Name in keyof Sections]: Sections[Name]['schema'];
    }),
  })
  .describe(
    'The result of a chat-load run. Published figures exclude what began in the warm-up, unless stated otherwise.',
  );

export type Result = z.infer<typeof resultSchema>;

/** Makes the published document: pure, and the same for the same parts. */
export function buildResult(parts: ResultParts): Result {
  const context: ResultContext = Object.assign(
    contextOf(parts, true, () => checkBooks(parts, context.made)),
    { parts, gates: gatesOf(parts.plan), made: {} as Made },
  );
  const made = assemble(sections, context);
  context.made = made;
  return { kind: resultKind, schemaVersion: 1, ...made };
}

/** Checks every equation of a run that has ended, on what was counted and on what is about to be published. */
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

/** The gates of a plan. They were checked before the start: one that cannot be read now is a bug of ours. */
const gatesOf = (plan: Plan): Gate[] =>
  readGates(plan).map((read) => {
    if ('problem' in read) throw new Error(read.problem);
    return read.ok;
  });

function findWarnings({ parts, plan, whole, measured, transport, made }: ResultContext): Warning[] {
  const { run, warnings } = parts;
  // A worker may have warned of the same.
  const isNew = (found: Warning): boolean => warnings.every(({ code }) => code !== found.code);
  return [
    ...warnings,
    ...integrityWarnings(plan, buildIntegrityFigures(whole)),
    ...skippedLinesWarnings(plan),
    ...driftWarnings(made.drift),
    ...tlsWarnings(transport?.tls ?? null, run.startedAt).filter(isNew),
    ...sharedReadsWarnings(made.stream),
    ...clampWarnings(measured),
  ];
}

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
