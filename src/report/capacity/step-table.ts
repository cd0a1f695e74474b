import type { Capacity } from '../../capacity/document/capacity.ts';
import type { Step } from '../../capacity/document/step.ts';
import { formatCount, formatMs, formatNumber, formatShare } from '../words/format.ts';
import type { Cells } from '../words/fitting-table.ts';
import { shownLatency } from './capacity-facts.ts';

export const stepVerdictTexts: Readonly<Record<Step['verdict'], string>> = {
  holds: 'holds',
  broken: 'broken',
  undecided: 'undecided',
  no_evidence: 'no evidence',
};

/** The steps in the order in which they were played. */
export function stepTable(capacity: Capacity): Cells {
  const { steps } = capacity;
  const { metric, read } = shownLatency(capacity);
  const right = 'right' as const;
  return {
    columns: [
      { head: 'STEP', align: right },
      { head: 'load', align: right },
      { head: 'purpose' },
      { head: 'verdict' },
      { head: 'settled', align: right, goes: 6 },
      { head: 'length', align: right, goes: 5 },
      { head: 'sent', align: right, goes: 3 },
      { head: 'turns/s', align: right },
      { head: 'p50', align: right, goes: 4 },
      { head: metric === 'turn.p95' ? 'p95' : metric, align: right },
      { head: 'failed', align: right, goes: 1 },
      { head: 'ampl.', align: right, goes: 2 },
    ],
    rows: steps.map((step) => cellsOf(step, read(step))),
  };
}

function cellsOf({ figures, ...step }: Step, latencyMs: number | null): string[] {
  const { turnsPerSecond, turnP50Ms, failedShare, amplification } = figures;
  return [
    String(step.number),
    formatNumber(step.load) + (step.by === undefined ? '' : ' live'),
    step.purpose,
    stepVerdictTexts[step.verdict] + (step.isSaturated ? ', sat.' : ''),
    formatMs(step.settledMs),
    formatMs(step.elapsedMs),
    formatCount(step.sent),
    turnsPerSecond === null ? '-' : formatNumber(turnsPerSecond),
    formatMs(turnP50Ms),
    formatMs(latencyMs),
    formatShare(failedShare),
    amplification === null ? '-' : amplification.toFixed(2),
  ];
}

/** What to know of steps that neither hold nor break. */
export function stepNotes({ steps }: Capacity): string[] {
  return steps
    .filter(({ verdict }) => verdict === 'undecided' || verdict === 'no_evidence')
    .map(({ number, verdict, reason }) => `step ${String(number)}, ${stepVerdictTexts[verdict]}: ${reason}`);
}
