import type { MetricComparison } from './document/comparison.ts';
import type { History, HistoryGroup } from './document/history.ts';
import { sideNames, type Sides } from './document/side.ts';
import type { Design } from './statistics/sample.ts';

interface WarningFacts {
  design: Design<unknown>;
  metrics: readonly MetricComparison[];
  /** The history of these runs; `given`: all that there was to find it in. */
  history: HistoryGroup | undefined;
  given: History | undefined;
  sides: Sides;
}

/** What else a reader of a comparison should know: what its design cannot rule out, and what was not used. */
export function warningsOf(known: WarningFacts): string[] {
  return [
    ...fewRunsWarning(known.sides),
    ...designWarnings(known.design),
    ...(known.given !== undefined && known.history === undefined
      ? [
          'The history contains nothing of this scenario, load and machine class apart from the sittings compared: it was not used.',
        ]
      : []),
    ...known.metrics.flatMap(overloadWarnings),
    ...gateWarnings(known.sides),
  ];
}

/** As docs/comparing.md has it. */
const minRuns = 3;

function fewRunsWarning({ base, head }: Sides): string[] {
  if (Math.min(base.runs.length, head.runs.length) >= minRuns) return [];
  const counts = `base ${String(base.runs.length)}, head ${String(head.runs.length)}`;
  return [
    `Fewer than ${String(minRuns)} runs per side (${counts}) do not show their own noise: without a history only large changes are decided. Five are good.`,
  ];
}

/** Gates judge a run by itself: failed ones of either side are not part of the verdict. */
function gateWarnings(sides: Sides): string[] {
  const [base = 0, head = 0] = sideNames.map(
    (name) =>
      sides[name].runs.filter(({ result: { gates } }) => gates.some(({ verdict }) => verdict !== 'pass')).length,
  );
  if (base + head === 0) return [];
  const runs = `${String(base)} ${base === 1 ? 'run' : 'runs'} of the base and ${String(head)} of the head`;
  return [`Gates of the scenario failed in ${runs}: a comparison ignores them, chat-load run judges by them.`];
}

function designWarnings(design: Design<unknown>): string[] {
  switch (design.unit) {
    case 'pair':
      return design.leftOut === 0
        ? []
        : [`${String(design.leftOut)} runs have no partner on the other side and were left out.`];
    case 'run':
      return [
        design.sharesAll
          ? 'The runs were not interleaved by pairs: a drift within their sitting can look like a change.'
          : 'Only some sittings have runs of both sides: a drift between sittings can look like a change.',
      ];
    case 'sitting':
      return [
        'The sides were measured in different sittings, each of which counts as one observation. Interleave them with chat-load ab to rule out drift between them.',
      ];
  }
}

const overloadWarnings = ({ name, verdict, isGated }: MetricComparison): string[] =>
  name === 'rates.turnsPerSecond' && !isGated && verdict === 'regressed'
    ? [
        'Under the same open load the head side finished less: it did not keep up, so its latencies depend on how long it ran.',
      ]
    : [];
