import type { Capacity } from '../../capacity/document/capacity.ts';
import type { Step } from '../../capacity/document/step.ts';
import { renderCsv, type CsvColumn } from '../words/csv.ts';

const columns: readonly CsvColumn<Step>[] = [
  ['step', ({ number }) => number],
  ['load', ({ load }) => load],
  ['purpose', ({ purpose }) => purpose],
  ['verdict', ({ verdict }) => verdict],
  ['saturated', ({ isSaturated }) => isSaturated],
  ['settledMs', ({ settledMs }) => settledMs],
  ['elapsedMs', ({ elapsedMs }) => elapsedMs],
  ['sent', ({ sent }) => sent],
  ['sessions', ({ sessions }) => sessions],
  ['turnsPerSecond', ({ figures }) => figures.turnsPerSecond],
  ['sessionsPerSecond', ({ figures }) => figures.sessionsPerSecond],
  ['turnP50Ms', ({ figures }) => figures.turnP50Ms],
  ['turnP95Ms', ({ figures }) => figures.turnP95Ms],
  ['turnMeanMs', ({ figures }) => figures.turnMeanMs],
  ['sessionMeanMs', ({ figures }) => figures.sessionMeanMs],
  ['sessionsLive', ({ figures }) => figures.sessionsLive],
  ['turnsInFlight', ({ figures }) => figures.turnsInFlight],
  ['failedShare', ({ figures }) => figures.failedShare],
  ['amplification', ({ figures }) => figures.amplification],
];

/** Renders the curve as CSV: a line a step, below a line with the names of the columns. */
export function renderCapacityCsv({ steps }: Capacity): string {
  return renderCsv(columns, steps);
}
