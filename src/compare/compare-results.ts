import { ChatLoadError } from '../base/errors.ts';
import type { Result } from '../result/result.ts';
import type { RunFacts } from '../result/sections/run-facts.ts';
import { judgeComparability } from './comparability/comparability.ts';
import type { Comparison, MetricComparison } from './document/comparison.ts';
import { groupOf } from './document/group-of.ts';
import { type History, type HistoryGroup, withoutSittingsOf } from './document/history.ts';
import { judgeMetrics } from './judge/judge-metrics.ts';
import { matchRuns, observationsOf, type Design } from './statistics/sample.ts';
import { openRunOfSide } from './figures/open-run.ts';
import { resultsOf, type Side, type Sides } from './document/side.ts';
import { brokenBecause } from './comparability/run-requirements.ts';
import { sayVerdict, verdictOf, type NoiseBasis } from './verdict-of.ts';
import { warningsOf } from './warnings-of.ts';
import { buildLocalization, type Past } from './localize/localize.ts';

export interface ComparisonParts extends Sides {
  /** The version of chat-load that compares. */
  toolVersion: string;
  history?: History | undefined;
  /** Least changes that matter, by metric, on the scale of change; what is not in it keeps its default. */
  margins?: ReadonlyMap<string, number>;
  /** The share of false alarms allowed among alarms. */
  q?: number;
  /**
   * By how much sittings are taken to differ until there is a history: the standard deviation, as a share (0.05 is
   * 5 %) of what is measured.
   */
  assumedNoise?: number;
  /** Whether to compare results that are not comparable. */
  force?: boolean;
  /** Whether an inconclusive verdict counts as a failure. */
  failOnInconclusive?: boolean;
}

const defaultQ = 0.05;
export const defaultAssumedNoise = 0.05;

/** Compares two releases by their results: pure, and the same for the same parts. Throws a usage error when a side is empty. */
export function compareResults(given: ComparisonParts): Comparison {
  const parts = { ...given, base: inOrder(given.base), head: inOrder(given.head) };
  const { toolVersion, base, head, force = false, failOnInconclusive = false } = parts;
  const { q = defaultQ, assumedNoise = defaultAssumedNoise } = parts;
  const { scenario } = firstOf(base);
  firstOf(head);
  const comparability = judgeComparability({ base, head }, { force });
  const matched = designOf(parts);
  const history = historyFor(parts);
  const isCompared = comparability.isComparable || comparability.forced;
  const { metrics, localization } = isCompared
    ? judge(parts, { q, history, assumedNoise })
    : { metrics: [], localization: null };
  const broken = isCompared ? brokenOf(head) : [];
  const verdict: Comparison['verdict'] = !isCompared
    ? 'not_comparable'
    : broken.length > 0
      ? 'regressed'
      : verdictOf(metrics);
  const design: Comparison['design'] = {
    unit: matched.unit,
    ...observationsOf(matched),
    history: aboutOf(history),
    assumedNoise: isAssumedFor(metrics) ? assumedNoise : null,
    falseDiscoveryRate: q,
  };
  const found = { verdict, metrics, comparability, broken, design, head: describe(head) };
  return {
    kind: 'chat-load/comparison',
    schemaVersion: 1,
    toolVersion,
    ...found,
    summary: sayVerdict(found, basisOf(parts, { design, metrics, history })),
    scenario: { name: scenario.name, hash: scenario.hash },
    base: describe(base),
    movers: moversOf(metrics, q),
    localization,
    confirmation: null,
    failOnInconclusive,
    violatedRuns: 0,
    warnings: isCompared ? warningsOf({ design: matched, metrics, history, given: parts.history, sides: parts }) : [],
  };
}

/** Sums differ in their last digits by the order of what is added: files may come in any, the comparison is one. */
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
    hint: 'Give at least one on each side: a file, a folder of results, or a pattern such as results/peak-*.json.',
  });
}

const designOf = ({ base, head }: Sides): Design<RunFacts> =>
  matchRuns(
    base.runs.map(({ result }) => result.run),
    head.runs.map(({ result }) => result.run),
  );

/** The history of runs like those of the base side, without the sittings that are compared. */
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
    metrics: judgeMetrics(sides, { margins: parts.margins ?? new Map<string, number>(), ...past }),
    localization: buildLocalization(sides, past),
  };
}

/** The metrics that decide, or would: informational ones may have a shorter history. */
const family = (metrics: readonly MetricComparison[]): MetricComparison[] =>
  metrics.filter(({ isGated, notGatedBecause }) => isGated || notGatedBecause !== null);

const isAssumedFor = (metrics: readonly MetricComparison[]): boolean =>
  family(metrics).some(({ isNoiseAssumed }) => isNoiseAssumed);

interface JudgedDesign {
  design: Comparison['design'];
  metrics: readonly MetricComparison[];
  history: HistoryGroup | undefined;
}

/** The source of the noise between observations, where the runs themselves do not show it. */
function basisOf({ base, head }: Sides, { design, metrics, history }: JudgedDesign): NoiseBasis | null {
  const isAlone = design.base === 1 && design.head === 1;
  const { assumedNoise } = design;
  if (!isAlone && assumedNoise === null) return null;
  const isOneRun = base.runs.length === 1 && head.runs.length === 1;
  return {
    side: isOneRun ? 'One run per side' : isAlone ? 'One sitting per side' : 'Few sittings per side',
    of: design.unit === 'sitting' ? 'sittings' : 'runs',
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

/** Changes in different units are compared in multiples of their margins. */
function moversOf(metrics: readonly MetricComparison[], q: number): string[] {
  const sizeOf = ({ change, margin }: MetricComparison): number => Math.abs(change ?? 0) / margin;
  return metrics
    .filter(({ pAdjusted, change }) => pAdjusted !== null && pAdjusted <= q && change !== null && change !== 0)
    .toSorted((a, b) => sizeOf(b) - sizeOf(a))
    .map(({ name }) => name);
}
