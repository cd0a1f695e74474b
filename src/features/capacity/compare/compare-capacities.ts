import type { SideName } from '../../../compare/document/side.ts';
import type { Capacity } from '../document/capacity.ts';
import type { LoadUnit } from '../document/step.ts';
import type { CapacityComparison, ComparedCapacities, CapacityRange } from './capacity-comparison.ts';
import {
  capacityCaveats,
  capacityRefusals,
  documentsOf,
  type CapacitySide,
  type CapacitySides,
  type SearchOfSide,
} from './capacity-refusals.ts';
import { lessText, moreText, openText, rangeText } from './describe-change.ts';

export interface CapacityJudging {
  /** True to compare sides that are not comparable; the document records it. */
  force: boolean;
  failOnInconclusive: boolean;
  toolVersion: string;
}

type Finding = Pick<CapacityComparison, 'verdict' | 'summary' | 'change' | 'reason'>;

/** Compares the capacities of two releases. Throws a `RangeError` for a side without a search. */
export function compareCapacities(
  sides: CapacitySides,
  { force, failOnInconclusive, toolVersion }: CapacityJudging,
): CapacityComparison {
  const [first] = sides.base.searches;
  if (first === undefined || sides.head.searches.length === 0) throw new RangeError('a side has no search');
  const { by, scenario, objectives } = first.capacity;
  const refusals = capacityRefusals(sides);
  const isComparable = refusals.length === 0;
  const compared = { base: sideOf(sides.base), head: sideOf(sides.head) };
  return {
    kind: 'chat-load/capacity-comparison',
    schemaVersion: 1,
    toolVersion,
    ...(isComparable || force ? findingOf(compared, sides, by) : refused),
    by,
    scenario: { name: scenario.name, hash: scenario.hash },
    objectives: objectives.map(({ metric, condition }) => ({ metric, condition })),
    ...compared,
    comparability: { isComparable, forced: force && !isComparable, refusals, warnings: capacityCaveats(sides) },
    failOnInconclusive,
    warnings: warningsOf(compared),
  };
}

const refused: Finding = {
  verdict: 'not_comparable',
  summary: 'These capacities cannot be compared.',
  change: null,
  reason: null,
};

function sideOf({ label, searches }: CapacitySide): ComparedCapacities {
  const compared = searches.map(searchOf);
  return { label, searches: compared, range: wholeRange(compared.map(({ range }) => range)) };
}

function searchOf({ file, capacity }: SearchOfSide): ComparedCapacities['searches'][number] {
  const { label, startedAt, elapsedMs, toolVersion, scenario, machine, outcome, broken, holds, steps } = capacity;
  const at = steps.findLast(({ number }) => holds?.steps.includes(number));
  return {
    file,
    label,
    startedAt,
    elapsedMs,
    toolVersion,
    target: scenario.target,
    machine,
    outcome,
    range: shownRange(capacity),
    objective: broken?.objective ?? null,
    turnsPerSecond: at?.figures.turnsPerSecond ?? null,
  };
}

function findingOf(
  { base, head }: Readonly<Record<SideName, ComparedCapacities>>,
  sides: CapacitySides,
  by: LoadUnit,
): Finding {
  const { verdict, change } = judgeRanges(base.range, head.range);
  const between = `(${rangeText(base.range, by)} before, ${rangeText(head.range, by)} now)`;
  if (verdict === 'regressed')
    return { verdict, change, reason: null, summary: `The head sustains ${lessText(change)} load ${between}.` };
  if (verdict === 'improved')
    return { verdict, change, reason: null, summary: `The head sustains ${moreText(change)} load ${between}.` };
  const summary = `No change shown; ${openText(change)} ${between}.`;
  const unfound = [...documentsOf(sides.base), ...documentsOf(sides.head)].filter(({ outcome }) => outcome !== 'found');
  if (unfound.length === 0) return { verdict: 'unchanged', change, reason: null, summary };
  return { verdict: 'inconclusive', change, reason: reasonOf(unfound), summary };
}

function reasonOf(unfound: readonly Capacity[]): string {
  const outcomes = [...new Set(unfound.map(({ outcome }) => outcome.replaceAll('_', ' ')))].join(', ');
  return `Not every search found both ends (${outcomes}): run \`chat-load report\` on each of them for its remedy.`;
}

function warningsOf({ base, head }: Readonly<Record<SideName, ComparedCapacities>>): string[] {
  const brokeOn = ({ searches }: ComparedCapacities): string =>
    [...new Set(searches.flatMap(({ objective }) => objective ?? []))].toSorted().join(', ');
  const [before, now] = [brokeOn(base), brokeOn(head)];
  return [
    ...[...base.searches, ...head.searches].flatMap(({ file, startedAt, range, outcome }) =>
      range.holds === null && range.broken === null
        ? [
            `${file ?? startedAt} shows neither end twice (${outcome.replaceAll('_', ' ')}): it does not narrow the range.`,
          ]
        : [],
    ),
    ...(before === '' || now === '' || before === now
      ? []
      : [`The objective that fails first has changed: ${before} before, ${now} now.`]),
  ];
}

interface Judged {
  verdict: 'improved' | 'regressed' | 'overlapping';
  /** Bounds of head / base - 1; `null`: unbounded. */
  change: NonNullable<CapacityComparison['change']>;
}

/**
 * Judges whether the ranges overlap. A capacity lies at or above its holding end and below its broken end: if the broken
 * end of one range is at or below the holding end of the other, the first capacity is lower.
 */
function judgeRanges(base: CapacityRange, head: CapacityRange): Judged {
  const change = { low: changeOf(base.broken, head.holds), high: changeOf(base.holds, head.broken) };
  if (isUnder(head.broken, base.holds)) return { verdict: 'regressed', change };
  if (isUnder(base.broken, head.holds)) return { verdict: 'improved', change };
  return { verdict: 'overlapping', change };
}

const isUnder = (broken: number | null, holds: number | null): boolean =>
  broken !== null && holds !== null && broken <= holds;

const changeOf = (from: number | null, to: number | null): number | null =>
  from === null || to === null || from === 0 ? null : to / from - 1;

/** A single step may be luck. */
const minSteps = 2;

/** Returns the ends that at least two steps show, whatever the outcome of the search. */
function shownRange({ holds, broken }: Pick<Capacity, 'holds' | 'broken'>): CapacityRange {
  const shown = (end: { load: number; steps: readonly number[] } | null): number | null =>
    end !== null && end.steps.length >= minSteps ? end.load : null;
  return { holds: shown(holds), broken: shown(broken) };
}

/** Returns the range across all searches of a release, which differ by more than their steps show. */
function wholeRange(ranges: readonly CapacityRange[]): CapacityRange {
  return {
    holds: extremeOf(
      ranges.map(({ holds }) => holds),
      Math.min,
    ),
    broken: extremeOf(
      ranges.map(({ broken }) => broken),
      Math.max,
    ),
  };
}

function extremeOf(loads: readonly (number | null)[], choose: (...loads: number[]) => number): number | null {
  const known = loads.filter((load) => load !== null);
  return known.length < loads.length || known.length === 0 ? null : choose(...known);
}
