import { groupBy } from '../../base/group-by.ts';
import type { Capacity } from '../../capacity/document/capacity.ts';
import type { Step } from '../../capacity/document/step.ts';
import { shownLatency } from './capacity-facts.ts';

/** What a search saw at a load, over all steps of it. */
export interface CurveRow {
  load: number;
  /** The means over its steps; `null`: none says it. */
  turnsPerSecond: number | null;
  /** Of the latency that is shown. */
  latencyMs: number | null;
  /** `mixed`: steps of the load disagree. */
  verdict: 'holds' | 'broken' | 'mixed' | 'undecided';
  isSaturated: boolean;
  marks: readonly CurveMark[];
}

type CurveMark = 'holds' | 'broken' | 'knee';

/**
 * The curve, by rising load. Steps that the generator could not carry say nothing of the service, and those behind a
 * broken step show it while it comes back: neither is a part of it.
 */
export function curveRows(capacity: Capacity): CurveRow[] {
  const { steps, holds, broken, knee } = capacity;
  const { read } = shownLatency(capacity);
  const evidence = steps.filter(
    ({ verdict, purpose, by }) => verdict !== 'no_evidence' && purpose !== 'recover' && by === undefined,
  );
  const ends = { holds, broken, knee };
  const names = ['knee', 'holds', 'broken'] as const;
  return [...groupBy(evidence, ({ load }) => String(load)).values()]
    .map((those) => ({
      load: those[0].load,
      turnsPerSecond: meanOf(those, ({ figures }) => figures.turnsPerSecond),
      latencyMs: meanOf(those, read),
      verdict: verdictOf(those),
      isSaturated: those.some(({ isSaturated }) => isSaturated),
      marks: names.filter((name) => ends[name]?.load === those[0].load),
    }))
    .toSorted((a, b) => a.load - b.load);
}

function meanOf(steps: readonly Step[], figure: (step: Step) => number | null): number | null {
  const known = steps.map(figure).filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function verdictOf(steps: readonly Step[]): CurveRow['verdict'] {
  const verdicts = new Set(steps.map(({ verdict }) => verdict));
  if (verdicts.has('holds') && verdicts.has('broken')) return 'mixed';
  return verdicts.has('broken') ? 'broken' : verdicts.has('holds') ? 'holds' : 'undecided';
}
