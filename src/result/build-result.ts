import type { Plan } from '../plan/plan.ts';
import type { Snapshot } from '../record/snapshot.ts';
import { assertBooks } from './books/assert-books.ts';
import { assertPublished } from './books/assert-published.ts';
import { assertSums } from './books/equation.ts';
import type { Books } from './books/books.ts';
import { assembleBooks, assembleSections } from './assembly/assemble-sections.ts';
import { buildDrift } from './drift/build-drift.ts';
import { driftWarnings } from './drift/generator-drift.ts';
import type { Calibration } from './sections/calibration.ts';
import type { Environment } from './sections/environment.ts';
import { addCountersOf, addTallies, type Figures } from './sections/figures.ts';
import { judgeGates, readGates, type Gate } from './gates/gates.ts';
import type { GeneratorHealth, GeneratorSample } from './sections/generator-health.ts';
import { buildIntegrityFigures } from './sections/integrity.ts';
import { skippedLinesWarnings, integrityWarnings, sharedReadsWarnings, tlsWarnings } from './warnings/run-warnings.ts';
import { buildIntervals } from './sections/intervals.ts';
import { judgeValidity } from './validity/judge-validity.ts';
import type { Traffic } from './sections/rates.ts';
import { feltLoad, stateReading } from './sections/reading.ts';
import type { Result } from './result.ts';
import type { RunFacts } from './sections/run-facts.ts';
import { buildSpending } from './sections/spending.ts';
import type { Transport } from './sections/transport.ts';
import type { Warning } from './sections/warning.ts';

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

/** Makes the published document: pure, and the same for the same parts. */
export function buildResult(parts: ResultParts): Result {
  const { plan, snapshot, run, environment, generator, calibration = null, warnings } = parts;
  const measured = addTallies(snapshot.totals.filter((tally) => !tally.warmUp));
  const { intervals, ...sections } = buildSections(parts);
  const books = balance(parts, { ...sections, intervals });
  const { outcomes, latency } = sections;
  const gates = gatesOf(plan);
  const drift = buildDrift({ plan, intervals, gates });
  const { examples, elapsedMs } = snapshot;
  const { stop } = run;
  const around = { generator, environment, plannedSessions: plan.sessions };
  const validity = judgeValidity({ books, outcomes, examples, stop, latency, drift, elapsedMs, ...around });
  const { agentId, baseUrl, protocol, stream } = plan.target;
  return {
    kind: 'chat-load/result',
    schemaVersion: 1,
    run: { ...run, durationMs: snapshot.elapsedMs },
    scenario: { name: plan.name, hash: plan.hash, seed: plan.seed, plan },
    target: { baseUrl, embedded: baseUrl === null, agentId, protocol, stream },
    environment,
    books,
    ...sections,
    drift,
    gates: judgeGates(gates, { ...sections, books, validity, drift }),
    validity,
    generator,
    calibration: stateReading(calibration, feltLoad(intervals, sections.concurrency)),
    intervals,
    examples: snapshot.examples,
    warnings: [
      ...warnings,
      ...integrityWarnings(plan, buildIntegrityFigures(addCountersOf(snapshot.totals))),
      ...skippedLinesWarnings(plan),
      ...driftWarnings(drift),
      ...unsaid(tlsWarnings(sections.transport?.tls ?? null, run.startedAt), warnings),
      ...sharedReadsWarnings(sections.stream),
      ...clampWarnings(measured),
    ],
  };
}

/** A worker may have warned of the same. */
const unsaid = (found: readonly Warning[], said: readonly Warning[]): Warning[] =>
  found.filter(({ code }) => said.every((each) => each.code !== code));

/** The sections that figures alone make, in the order of the document. */
function buildSections({ plan, snapshot, traffic, transport, generatorSamples }: ResultParts) {
  const { outcomes, latency, positions, retries, rates, stream, history, concurrency, integrity } = assembleSections(
    plan,
    snapshot,
    'whole',
  );
  return {
    outcomes,
    latency,
    positions,
    retries,
    rates: { ...rates, traffic },
    spending: buildSpending(addCountersOf(snapshot.totals), plan),
    transport,
    stream,
    history,
    concurrency,
    integrity,
    intervals: buildIntervals(snapshot, generatorSamples),
  };
}

/** The books, with every equation of a run that has ended checked on what was counted and on what is about to be published. */
function balance(parts: ResultParts, published: ReturnType<typeof buildSections>): Books {
  const { plan, snapshot, workers = [], isWhole: hasEnded = true, isUnderWay = false } = parts;
  if (isUnderWay) return assembleBooks(plan, snapshot, { equations: [], hasEnded: false });
  const { policies } = published.retries;
  const equations = [
    ...assertBooks(plan, snapshot),
    ...assertPublished({ ...published, policies, books: assembleBooks(plan, snapshot, { equations: [], hasEnded }) }),
    ...(workers.length === 0
      ? []
      : assertSums(
          'workers',
          snapshot.totals,
          workers.flatMap((each) => each.totals),
        )),
  ];
  return assembleBooks(plan, snapshot, { equations, hasEnded });
}

/** The gates of a plan. They were checked before the start: one that cannot be read now is a bug of ours. */
const gatesOf = (plan: Plan): Gate[] =>
  readGates(plan).map((read) => {
    if ('problem' in read) throw new Error(read.problem);
    return read.ok;
  });

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
