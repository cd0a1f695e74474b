import { ChatLoadError } from '../base/errors.ts';
import type { Result } from '../result/result.ts';
import type { RunFacts } from '../result/sections/run-facts.ts';
import { assumedDegreesOf } from './assumed-degrees.ts';
import { judgeComparability } from './comparability/comparability.ts';
import type { Comparability, Comparison, MetricComparison, Refusal } from './document/comparison.ts';
import { groupOf } from './document/group-of.ts';
import { type History, type HistoryGroup, withoutSittingsOf } from './document/history.ts';
import { judgeMetrics, type Lacking } from './judge/judge-metrics.ts';
import { matchRuns, observationsOf, type Design } from './statistics/sample.ts';
import { openRunOfSide } from './figures/open-run.ts';
import { resultsOf, type Side, type Sides } from './document/side.ts';
import { brokenBecause, omitInvalid } from './comparability/run-requirements.ts';
import { verdictSentence, verdictOf, type NoiseBasis } from './verdict-of.ts';
import { warningsOf } from './warnings-of.ts';
import { buildLocalization, type Past } from './localize/localize.ts';

export interface ComparisonParts extends Sides {
  toolVersion: string;
  history?: History | undefined;
  /** Minimum relevant changes by metric, on the scale of change; other metrics keep their default. */
  margins?: ReadonlyMap<string, number>;
  q?: number;
  /** Assumed standard deviation between batches of runs until there is a history, as a share (0.05 is 5 %). */
  assumedNoise?: number;
  force?: boolean;
  failOnInconclusive?: boolean;
}

const defaultQ = 0.05;
export const defaultAssumedNoise = 0.05;

/** Compares two releases by their results; pure and deterministic. Throws a usage error if a side is empty. */
export function compareResults(given: ComparisonParts): Comparison {
  const { force = false, failOnInconclusive = false, toolVersion } = given;
  const inGivenOrder = { base: inOrder(given.base), head: inOrder(given.head) };
  const { sides, omitted } = force ? { sides: inGivenOrder, omitted: [] } : omitInvalid(inGivenOrder);
  const parts = { ...given, ...sides };
  const { base, head } = parts;
  const { q = defaultQ, assumedNoise = defaultAssumedNoise } = parts;
  const { scenario } = firstOf(base);
  firstOf(head);
  const checked = judgeComparability({ base, head }, { force });
  const matched = designOf(parts);
  const history = historyFor(parts);
  const assumedDegrees = assumedDegreesOf(parts);
  const isJudged = checked.isComparable || checked.forced;
  const judged = isJudged ? judge(parts, { q, history, assumedNoise, assumedDegrees }) : notJudged;
  const broken = isJudged ? brokenOf(head) : [];
  const isRegressed = broken.length > 0 || verdictOf(judged.metrics) === 'regressed';
  const lacking = isRegressed || force ? null : judged.lacking;
  const isCompared = isJudged && lacking === null;
  const { metrics, localization } = isCompared ? judged : notJudged;
  const comparability: Comparability =
    lacking === null ? checked : { ...checked, isComparable: false, refusals: [lackOf(lacking)] };
  const verdict: Comparison['verdict'] = !isCompared
    ? 'not_comparable'
    : broken.length > 0
      ? 'regressed'
      : verdictOf(metrics);
  const design: Comparison['design'] = {
    unit: matched.unit,
    ...observationsOf(matched),
    history: aboutOf(history),
    assumedNoise: family(metrics).some(({ isNoiseAssumed }) => isNoiseAssumed) ? assumedNoise : null,
    falseDiscoveryRate: q,
  };
  const found = { verdict, metrics, comparability, broken, design, head: describe(head) };
  return {
    kind: 'chat-load/comparison',
    schemaVersion: 1,
    toolVersion,
    ...found,
    summary: verdictSentence(found, basisOf(parts, { design, metrics, history })),
    scenario: { name: scenario.name, hash: scenario.hash },
    base: describe(base),
    movers: moversOf(metrics, q),
    localization,
    confirmation: null,
    failOnInconclusive,
    violatedRuns: 0,
    warnings: [
      ...omitted,
      ...(isCompared ? judged.omitted : []),
      ...(isCompared ? warningsOf({ design: matched, metrics, history, given: parts.history, sides: parts }) : []),
    ],
  };
}

const notJudged = { metrics: [], localization: null, omitted: [], lacking: null };

/** Refuses a comparison without a latency of turns to judge: the other metrics alone would call any change of latency unchanged. */
function lackOf({ because, base, head, doubtful }: Lacking): Refusal {
  if (because === 'doubtful') {
    const stateOf = (isThere: boolean): string => (isThere ? 'usable' : 'doubtful');
    return {
      key: 'generator.error',
      base: stateOf(base),
      head: stateOf(head),
      message: `every deciding latency of turns is doubtful${base ? ' in every head run' : head ? ' in every base run' : ''}`,
      runs: doubtful,
      remedy: 'Measure on an idle machine, or from one with more cores.',
    };
  }
  return {
    key: 'latency.turn.ok',
    base: base ? 'has values' : 'no values',
    head: head ? 'has values' : 'no values',
    message: 'no latency of turns has values on both sides',
    runs: [],
    remedy:
      'Run for longer than the turns take (duration, --duration), or with more sessions; look at the failures if no turn was ok.',
  };
}

/** Sorts runs, because floating-point sums depend on the order: the comparison does not depend on the order of files. */
const inOrder = (side: Side): Side => ({
  ...side,
  runs: side.runs.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
});

const keyOf = ({ result: { run } }: Side['runs'][number]): string => `${run.startedAt} ${run.id}`;

function firstOf({ label, runs }: Side): Result {
  const [first] = runs;
  if (first !== undefined) return first.result;
  throw new ChatLoadError('usage', {
    message: `There is no result on the ${label} side.`,
    hint: 'Name at least one for each side: a file, a folder of results, or a pattern such as results/peak-*.json.',
  });
}

const designOf = ({ base, head }: Sides): Design<RunFacts> =>
  matchRuns(
    base.runs.map(({ result }) => result.run),
    head.runs.map(({ result }) => result.run),
  );

function historyFor({
  base,
  head,
  history,
}: Pick<ComparisonParts, 'base' | 'head' | 'history'>): HistoryGroup | undefined {
  const group = groupOf(firstOf(base));
  const found = history?.groups.find(
    ({ scenario, machineClass, loadHash }) =>
      scenario.hash === group.scenario.hash && machineClass === group.machineClass && loadHash === group.loadHash,
  );
  const ids = new Set(resultsOf({ base, head }).map(({ run }) => run.id));
  return found && withoutSittingsOf(ids, found);
}

function judge(parts: ComparisonParts, past: Past & { q: number }) {
  const sides = { base: parts.base.runs.map(openRunOfSide), head: parts.head.runs.map(openRunOfSide) };
  return {
    ...judgeMetrics(sides, { margins: parts.margins ?? new Map<string, number>(), ...past }),
    localization: buildLocalization(sides, past),
  };
}

/** Returns the metrics of the gate family: informational ones may have a shorter history. */
const family = (metrics: readonly MetricComparison[]): MetricComparison[] =>
  metrics.filter(({ isGated, notGatedBecause }) => isGated || notGatedBecause !== null);

interface JudgedDesign {
  design: Comparison['design'];
  metrics: readonly MetricComparison[];
  history: HistoryGroup | undefined;
}

/** Returns the source of the noise between observations, if the runs themselves do not show it. */
function basisOf({ base, head }: Sides, { design, metrics, history }: JudgedDesign): NoiseBasis | null {
  const isAlone = design.base === 1 && design.head === 1;
  const { assumedNoise } = design;
  if (!isAlone && assumedNoise === null) return null;
  const isOneRun = base.runs.length === 1 && head.runs.length === 1;
  return {
    side: isOneRun ? 'One run per side' : isAlone ? 'One batch of runs per side' : 'Few batches of runs per side',
    of: design.unit === 'sitting' ? 'batches' : 'runs',
    isKnown: assumedDegreesOf({ base, head }) === Infinity,
    hasHistory: family(metrics).some(
      ({ priorDegreesOfFreedom, isNoiseAssumed }) => (priorDegreesOfFreedom ?? 0) > 0 && !isNoiseAssumed,
    ),
    otherSittings: history?.sittings ?? null,
    assumedNoise,
  };
}

const describe = ({ label, runs }: Side): Comparison['base'] => ({
  label,
  runs: runs.map(({ file, result: { run, scenario, validity, target } }) => ({
    file,
    id: run.id,
    label: run.label,
    startedAt: run.startedAt,
    seed: scenario.seed,
    sitting: run.sitting,
    pair: run.pair,
    validity: validity.verdict,
    target: target.baseUrl,
  })),
});

const brokenOf = ({ runs }: Side): Comparison['broken'] =>
  runs.flatMap(({ file, result }) => {
    const reason = brokenBecause(result);
    return reason === null ? [] : [{ id: result.run.id, file, reason }];
  });

const aboutOf = (group: HistoryGroup | undefined): Comparison['design']['history'] =>
  group === undefined ? null : { sittings: group.sittings, runs: group.runs, from: group.from, to: group.to };

/** Sorts changed metrics by their change in multiples of the margin, since their units differ. */
function moversOf(metrics: readonly MetricComparison[], q: number): string[] {
  const sizeOf = ({ change, margin }: MetricComparison): number => Math.abs(change ?? 0) / margin;
  return metrics
    .filter(({ pAdjusted, change }) => pAdjusted !== null && pAdjusted <= q && change !== null && change !== 0)
    .toSorted((a, b) => sizeOf(b) - sizeOf(a))
    .map(({ name }) => name);
}
