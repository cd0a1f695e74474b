import { countOf, formatMs, formatNumber, formatRate } from '../../base/format.ts';
import type { Beat } from '../../capacity/player.ts';
import type { LoadUnit } from '../../capacity/document/step.ts';
import type { Step } from '../../capacity/document/step.ts';
import { loadText } from '../../capacity/words/load-text.ts';
import { stepVerdictTexts } from './outcome-words.ts';

/** A line about a step that has ended. */
export function endedStepLine(step: Step, by: LoadUnit): string {
  const { number, load, purpose, verdict, reason, elapsedMs, sent, figures } = step;
  const pace = figures.turnsPerSecond === null ? '' : `, ${formatRate(figures.turnsPerSecond, 'turn')}`;
  const p95 = figures.turnP95Ms === null ? '' : `, p95 ${formatMs(figures.turnP95Ms)}`;
  const seen = `${countOf(sent, 'message')} in ${formatMs(elapsedMs)}${pace}${p95}`;
  const why = verdict === 'holds' || reason === '' ? '' : `: ${reason.replace(/\.$/, '')}`;
  return `step ${String(number).padStart(2)}  ${purpose.padEnd(7)} ${loadText(load, step.by ?? by)}  ${stepVerdictTexts[verdict]}${why} (${seen})`;
}

/** What is known of the step under way. */
export interface StepUnderWay {
  number: number;
  load: number;
  by: LoadUnit;
  turns: number;
  beat: Beat;
}

/** The step under way, in a line that is written again and again. */
export function underWayLine({ number, load, by, turns, beat }: StepUnderWay): string {
  const untilMs = beat.startMs + beat.lengthMs;
  const latency = beat.turnMeanMs === null ? '' : `, turns take ${formatMs(beat.turnMeanMs)}`;
  return `step ${String(number)}, ${loadText(load, by)}: ${countOf(turns, 'turn')} in ${formatMs(untilMs)}, ${formatNumber(Math.round(beat.turnsInFlight))} in flight${latency}`;
}
