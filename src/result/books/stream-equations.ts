import { positions } from '../../record/positions.ts';
import { total, type Counters } from '../../record/counters.ts';
import { sumOf } from '../../statistics/averages.ts';
import type { EquationSides } from './equation.ts';

/** What the counters of replies in pieces, of tokens and of the history have to fulfil, beside their histograms. */
export function streamEquations({ streams, history, attempts, turns, retries, exchanges }: Counters): EquationSides {
  const sumOfHistory = (name: 'requests' | 'told') =>
    sumOf(positions.map((position) => history[`${position}.${name}`]));
  return {
    'content events in shared reads ≤ gaps': [streams.sharedReads, streams.gapsOk + streams.gapsFailed],
    'replies with reasoning ≤ replies in pieces': [streams.reasoned, streams.ok + streams.failed],
    'replies that lacked the final mark ≤ attempts that were ok or check_failed': [
      streams.missingDone,
      attempts.ok + attempts.check_failed,
    ],
    'retries after content ≤ retries': [streams.retriesAfterContent, total(retries)],
    'turns that told their tokens ≤ ok turns': [streams.toldUsage, turns.ok],
    'requests by position ≤ attempts': [sumOfHistory('requests'), exchanges.attempts],
    'requests whose tokens were told ≤ requests by position': [sumOfHistory('told'), sumOfHistory('requests')],
  };
}
