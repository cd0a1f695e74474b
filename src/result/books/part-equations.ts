import { total, type Counters } from '../../record/counters.ts';
import { checkNames } from '../../session/integrity/finding.ts';
import type { EquationSides } from './equation.ts';
import { integrityFailures } from '../sections/integrity.ts';
import { positions } from '../../record/positions.ts';
import { sumOf } from '../../statistics/averages.ts';

/**
 * The equations of the integrity guard, which hold for every run. A reply that broke a check makes its attempt
 * `check_failed`; the attempts of that class beyond these are those that broke a check of the scenario's own.
 */
export function integrityEquations({ attempts, integrity }: Pick<Counters, 'attempts' | 'integrity'>): EquationSides {
  const failed = integrityFailures(integrity);
  const { 'turns.lost': lost, 'turns.duplicated': duplicated, 'turns.reordered': reordered } = integrity;
  return {
    'replies looked at ≤ attempts that were ok or check_failed': [
      integrity.replies,
      attempts.ok + attempts.check_failed,
    ],
    'replies without a tag ≤ replies looked at': [integrity.untagged, integrity.replies],
    'replies checked for answered = replies looked at': [integrity['answered.checked'], integrity.replies],
    'replies that broke a check of the guard ≤ attempts that were check_failed': [failed, attempts.check_failed],
    ...checkEquations(integrity),
    'replies with a wrong list of turns ≤ turns lost, duplicated or reordered': [
      integrity['turns.failed'],
      lost + duplicated + reordered,
    ],
    'replies after an ambiguous retry ≤ replies looked at': [integrity['ambiguous.checked'], integrity.replies],
    'replies after an ambiguous retry that broke a check ≤ replies that broke a check': [
      integrity['ambiguous.failed'],
      failed,
    ],
    'replies after an ambiguous retry that broke a check ≤ replies after an ambiguous retry': [
      integrity['ambiguous.failed'],
      integrity['ambiguous.checked'],
    ],
  };
}

/** Checks are made in their order, and none after the first that fails: every reply has room for each check once. */
function checkEquations(integrity: Counters['integrity']): EquationSides {
  const sides: EquationSides = {};
  let brokenBefore = 0;
  for (const name of checkNames) {
    const [checked, failed] = [integrity[`${name}.checked`], integrity[`${name}.failed`]];
    sides[`replies checked for ${name}, or broken before that ≤ replies looked at`] = [
      checked + brokenBefore,
      integrity.replies,
    ];
    sides[`replies that broke ${name} ≤ replies checked for it`] = [failed, checked];
    brokenBefore += failed;
  }
  return sides;
}

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
