import type { MetricComparison } from './document/comparison.ts';
import type { History, HistoryGroup } from './document/history.ts';
import type { Result } from '../result/result.ts';
import { resultsOf, sideNames, type Sides } from './document/side.ts';
import { countOf } from '../base/format.ts';
import { isOfAttribution } from '../result/validity/rule.ts';
import type { Design } from './statistics/sample.ts';

interface WarningFacts {
  design: Design<unknown>;
  metrics: readonly MetricComparison[];
  /** History of these runs; `given`: the whole history that was searched for it. */
  history: HistoryGroup | undefined;
  given: History | undefined;
  sides: Sides;
}

export function warningsOf(known: WarningFacts): string[] {
  return [
    ...fewRunsWarning(known.sides),
    ...designWarnings(known.design),
    ...(known.given !== undefined && known.history === undefined
      ? [
          'The history was not used: besides the compared runs it contains none of this scenario, load and machine class.',
        ]
      : []),
    ...known.metrics.flatMap(overloadWarnings),
    ...attributionWarning(known.sides),
    ...gateWarnings(known.sides),
    ...cacheWarnings(known),
  ];
}

/** Recommended minimum; docs/guides/compare-releases.md states it too. */
const minRuns = 3;

function fewRunsWarning({ base, head }: Sides): string[] {
  if (Math.min(base.runs.length, head.runs.length) >= minRuns) return [];
  const counts = `base ${String(base.runs.length)}, head ${String(head.runs.length)}`;
  return [
    `Fewer than ${String(minRuns)} runs per side (${counts}) do not show their own noise: without a history only large changes are detected. Use five.`,
  ];
}

/** Warns about failed gates, which judge a run by itself: they are not part of the verdict. */
function gateWarnings(sides: Sides): string[] {
  const [base = 0, head = 0] = sideNames.map(
    (name) =>
      sides[name].runs.filter(({ result: { gates } }) => gates.some(({ verdict }) => verdict !== 'pass')).length,
  );
  if (base + head === 0) return [];
  const runs = `${String(base)} ${base === 1 ? 'run' : 'runs'} of the base and ${String(head)} of the head`;
  return [`Gates of the scenario failed in ${runs}. A comparison ignores gates; chat-load run applies them.`];
}

/** Warns that runs have no figures of model calls by turn, which are informational and would be missing without a word. */
function attributionWarning(sides: Sides): string[] {
  const runs = resultsOf(sides).filter(({ validity }) => validity.reasons.some(isOfAttribution)).length;
  return runs === 0
    ? []
    : [
        `Model calls of ${countOf(runs, 'run')} belong to no known turn: figures of model calls by turn and by attempt were not read from ${runs === 1 ? 'it' : 'them'}. Let the agent forward traceparent.`,
      ];
}

/** Change from which a faster head may have been served from a cache. */
const muchFaster = -0.2;

/** Warns that a cache may explain a faster side: both sides sent the same texts. */
function cacheWarnings({ metrics, sides }: WarningFacts): string[] {
  const results = resultsOf(sides);
  const [base = new Set<number>(), head = new Set<number>()] = sideNames.map(
    (name) => new Set(sides[name].runs.map(({ result: { scenario } }) => scenario.seed)),
  );
  const areSame = [...base].some((seed) => head.has(seed)) && results.every(({ scenario }) => !hasOwnTexts(scenario));
  const isMarked = results.some(({ warnings }) => warnings.some(({ code }) => code === 'replies_cached'));
  const isFaster = metrics.some(
    ({ name, verdict, change }) => name.startsWith('turn.') && verdict === 'improved' && (change ?? 0) < muchFaster,
  );
  if (!areSame || !(isMarked || isFaster)) return [];
  const seen = isMarked ? 'There are signs of a cache' : 'The head is much faster';
  return [
    `${seen}, and both sides sent the same texts: the later one may have been served from what the earlier one left in a cache. Use another --seed for each, or disable the cache.`,
  ];
}

/** Reports whether the texts of a run are its own, because they contain tags of the integrity guard. */
const hasOwnTexts = ({ plan }: Result['scenario']): boolean => plan.integrity.mode === 'active';

function designWarnings(design: Design<unknown>): string[] {
  switch (design.unit) {
    case 'pair':
      return design.omitted === 0
        ? []
        : [`${String(design.omitted)} runs have no partner on the other side and were omitted.`];
    case 'run':
      return [
        design.sharesAll
          ? 'The runs were not interleaved by pairs: drift within their batch can look like a change.'
          : 'Only some batches have runs of both sides: drift between batches can look like a change.',
      ];
    case 'sitting':
      return [
        'The sides were measured in different batches of runs, each of which counts as one observation. Interleave them with chat-load ab to rule out drift between batches.',
      ];
  }
}

const overloadWarnings = ({ name, verdict, isGated }: MetricComparison): string[] =>
  name === 'rates.turnsPerSecond' && !isGated && verdict === 'regressed'
    ? [
        'Under the same open load the head finished fewer turns by the end: it did not keep up, so that its latencies depend on the length of the run, or its sessions only took longer.',
      ]
    : [];
