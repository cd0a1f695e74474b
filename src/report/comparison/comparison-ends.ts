import type { Comparison, MetricComparison } from '../../compare/document/comparison.ts';
import { findingSentence, undecidedText } from '../../compare/verdict-of.ts';
import { clean } from '../words/paragraph.ts';
import { countOf } from '../../base/format.ts';
import { oneLine } from '../words/width.ts';
import { groupTexts, rowOf } from './comparison-rows.ts';
import { opponents, refusalText, whyText } from './comparison-text.ts';
import type { JunitCase, JunitSuite } from '../words/junit.ts';
import { lastLine } from '../words/last-line.ts';

/** Returns the last line of a comparison: `PASSED`, `INCONCLUSIVE: why`, `FAILED: why` or `INVALID: why`. */
export function comparisonVerdictLine(comparison: Comparison): string {
  const { verdict, failOnInconclusive, violatedRuns, confirmation } = comparison;
  const finding = startLowerCase(findingSentence(comparison, maxMetrics));
  const why = oneLine(confirmation?.verdict === 'confirmed' ? `${finding}; confirmed` : finding, maxLength);
  if (verdict === 'not_comparable') return `INVALID: ${why}`;
  if (verdict === 'regressed' || (verdict === 'inconclusive' && failOnInconclusive)) return `FAILED: ${why}`;
  if (violatedRuns > 0) return brokenLine(violatedRuns);
  return verdict === 'inconclusive' ? lastLine('INCONCLUSIVE', clean(undecidedText(comparison))) : 'PASSED';
}

const maxLength = 400;
const maxMetrics = 3;

/** Converts a sentence to the end of another: no full stop, and a lower-case initial. */
export function startLowerCase(sentence: string): string {
  const text = clean(sentence).replace(/\.$/, '');
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}

const brokenLine = (runs: number): string =>
  `FAILED: replies broke the integrity of conversations in ${countOf(runs, 'run')} of the head`;

/**
 * Builds JUnit cases, one per gated metric. A regression fails; metrics that are undecided, have too little data or were
 * not confirmed are skipped with a reason; a refused comparison is one errored case. If inconclusive verdicts must fail,
 * the undecided metrics fail.
 */
export function comparisonSuite(comparison: Comparison): JunitSuite {
  const { verdict, metrics, head, failOnInconclusive } = comparison;
  const starts = head.runs.map(({ startedAt }) => startedAt).sort();
  const gated = metrics.filter(({ isGated }) => isGated);
  const fails = failOnInconclusive && verdict === 'inconclusive';
  const cases =
    verdict === 'not_comparable'
      ? [refusedCase(comparison)]
      : [...brokenCases(comparison), ...gated.map((metric) => caseOf(metric, comparison, fails))];
  return {
    name: `chat-load compare ${clean(comparison.scenario.name)}`,
    startedAt: clean(starts[0] ?? ''),
    elapsedMs: 0,
    cases,
  };
}

function refusedCase(comparison: Comparison): JunitCase {
  const reasons = comparison.comparability.refusals.map(refusalText);
  return { name: 'comparable', end: 'invalid', text: reasons.join('; '), message: clean(comparison.summary) };
}

/** Adds a failed case if the service broke runs of the head, whose metrics may lack data. */
function brokenCases(comparison: Comparison): JunitCase[] {
  const runs = comparison.broken.map(({ id, file, reason }) => `${file ?? id}: ${reason}`).join('; ');
  if (runs === '') return [];
  return [{ name: 'head', end: 'failed', text: clean(runs), message: clean(findingSentence(comparison)) }];
}

function caseOf(metric: MetricComparison, comparison: Comparison, fails: boolean): JunitCase {
  const { name, verdict, reason } = metric;
  const message = `${groupTexts[verdict]}: ${figuresText(metric)}`;
  const inFull = (why: string | null): string =>
    clean([message, why, opponents(comparison)].filter((part) => part !== null && part !== '').join('. '));
  const undecided = inFull(whyText(metric, comparison.design));
  switch (verdict) {
    case 'regressed':
      return isRefuted(metric, comparison) && !fails
        ? { name, end: 'skipped', text: inFull('A second set of runs did not confirm it') }
        : { name, end: 'failed', text: inFull(reason), message };
    case 'inconclusive':
      return fails ? { name, end: 'failed', text: undecided, message } : { name, end: 'skipped', text: undecided };
    case 'no_data':
      return fails && isBlind(comparison)
        ? { name, end: 'invalid', text: undecided, message }
        : { name, end: 'skipped', text: undecided };
    case 'improved':
    case 'unchanged':
      return { name, end: 'passed', text: inFull(reason) };
  }
}

/** Reports whether no gated metric had data; otherwise metrics without data do not matter. */
const isBlind = ({ metrics }: Comparison): boolean =>
  metrics.every(({ isGated, verdict }) => !isGated || verdict === 'no_data');

function figuresText(metric: MetricComparison): string {
  const { base, head, change, range, margin, p } = rowOf(metric);
  return `${base} to ${head}, ${change} (95 % interval ${range}), margin ${margin}, adjusted p ${p}`;
}

const isRefuted = ({ name }: MetricComparison, { confirmation }: Comparison): boolean =>
  confirmation?.metrics.some((each) => each.name === name && !each.isConfirmed) === true;
