import { countOf, formatMs, formatNumber, formatRate } from '../../../base/format.ts';
import type { Beat } from '../judge/player.ts';
import type { LoadUnit, Step } from '../document/step.ts';
import { loadText } from '../words/summarize.ts';
import { stepVerdictTexts } from './outcome-text.ts';
import type { CsvColumn } from '../../../report/words/csv.ts';
import { measuredText } from '../../../report/words/measured-text.ts';

/** Describes a step that has ended, as a line. */
export function endedStepLine(step: Step, by: LoadUnit): string {
  const { number, load, purpose, verdict, reason, elapsedMs, sent, figures } = step;
  const pace = figures.turnsPerSecond === null ? '' : `, ${formatRate(figures.turnsPerSecond, 'turn')}`;
  const p95 = figures.turnP95Ms === null ? '' : `, p95 ${measuredText(figures.turnP95Ms, figures.turnP95ErrorMs)}`;
  const seen = `${countOf(sent, 'message')} in ${formatMs(elapsedMs)}${pace}${p95}`;
  const why = verdict === 'holds' || reason === '' ? '' : `: ${reason.replace(/\.$/, '')}`;
  return `step ${String(number).padStart(2)}  ${purpose.padEnd(7)} ${loadText(load, step.by ?? by)}  ${stepVerdictTexts[verdict]}${why} (${seen})`;
}

interface CurrentStep {
  number: number;
  load: number;
  by: LoadUnit;
  turns: number;
  beat: Beat;
}

/** Describes the current step, as a line that is redrawn. */
export function underWayLine({ number, load, by, turns, beat }: CurrentStep): string {
  const untilMs = beat.startMs + beat.lengthMs;
  const latency = beat.turnMeanMs === null ? '' : `, mean turn ${formatMs(beat.turnMeanMs)}`;
  return `step ${String(number)}, ${loadText(load, by)}: ${countOf(turns, 'turn')} in ${formatMs(untilMs)}, ${formatNumber(Math.round(beat.turnsInFlight))} in flight${latency}`;
}

export const stepColumns: readonly CsvColumn<Step>[] = [
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
  ['turnP50ErrorMs', ({ figures }) => figures.turnP50ErrorMs],
  ['turnP95Ms', ({ figures }) => figures.turnP95Ms],
  ['turnP95ErrorMs', ({ figures }) => figures.turnP95ErrorMs],
  ['turnMeanMs', ({ figures }) => figures.turnMeanMs],
  ['turnMeanErrorMs', ({ figures }) => figures.turnMeanErrorMs],
  ['sessionMeanMs', ({ figures }) => figures.sessionMeanMs],
  ['sessionsLive', ({ figures }) => figures.sessionsLive],
  ['turnsInFlight', ({ figures }) => figures.turnsInFlight],
  ['failedShare', ({ figures }) => figures.failedShare],
  ['amplification', ({ figures }) => figures.amplification],
];
