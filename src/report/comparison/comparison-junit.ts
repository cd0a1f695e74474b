import type { Comparison, MetricComparison } from '../../compare/document/comparison.ts';
import { sayFinding } from '../../compare/verdict-of.ts';
import { groupTexts, rowOf } from './comparison-rows.ts';
import { opponents, refusalText, whyText } from './comparison-words.ts';
import { clean } from '../words/paragraph.ts';
import { renderJunit, type JunitCase } from '../words/junit.ts';

/**
 * Renders a comparison as JUnit XML: a case a gated metric. A regression fails; what could not be decided, had too little
 * data or was not confirmed is skipped with its reason; a refused comparison is one errored case. An inconclusive verdict
 * fails by the metrics that made it so, if it is to fail.
 */
export function renderComparisonJunit(comparison: Comparison): string {
  const { verdict, metrics, head, failOnInconclusive } = comparison;
  const starts = head.runs.map(({ startedAt }) => startedAt).sort();
  const gated = metrics.filter(({ isGated }) => isGated);
  const fails = failOnInconclusive && verdict === 'inconclusive';
  const cases =
    verdict === 'not_comparable'
      ? [refusedCase(comparison)]
      : [...brokenCases(comparison), ...gated.map((metric) => caseOf(metric, comparison, fails))];
  return renderJunit({
    name: `chat-load compare ${clean(comparison.scenario.name)}`,
    startedAt: clean(starts[0] ?? ''),
    elapsedMs: 0,
    cases,
  });
}

function refusedCase(comparison: Comparison): JunitCase {
  const reasons = comparison.comparability.refusals.map(refusalText);
  return { name: 'comparable', error: { message: clean(comparison.summary), text: reasons.join('; ') } };
}

/** A head that the service broke fails by itself: its metrics may have no data. */
function brokenCases(comparison: Comparison): JunitCase[] {
  const { broken } = comparison;
  if (broken.length === 0) return [];
  const runs = broken.map(({ id, file, reason }) => `${file ?? id}: ${reason}`).join('; ');
  return [{ name: 'head', failure: { message: clean(sayFinding(comparison)), text: clean(runs) } }];
}

function caseOf(metric: MetricComparison, comparison: Comparison, fails: boolean): JunitCase {
  const { name, verdict, reason } = metric;
  const message = `${groupTexts[verdict]}: ${figuresText(metric)}`;
  const inFull = (why: string | null): string =>
    clean([message, why, opponents(comparison)].filter((part) => part !== null && part !== '').join('. '));
  const failed = (text: string): JunitCase => ({ name, failure: { message, text } });
  const undecided = inFull(whyText(metric, comparison.design));
  switch (verdict) {
    case 'regressed': {
      const refuted = inFull('A second set of runs did not show it again');
      return isRefuted(metric, comparison) && !fails ? { name, skipped: refuted } : failed(inFull(reason));
    }
    case 'inconclusive':
      return fails ? failed(undecided) : { name, skipped: undecided };
    case 'no_data':
      return fails && isBlind(comparison)
        ? { name, error: { message, text: undecided } }
        : { name, skipped: undecided };
    case 'improved':
    case 'unchanged':
      return { name, output: inFull(reason) };
  }
}

/** Whether no gated metric had data: a metric without decides nothing as long as others have. */
const isBlind = ({ metrics }: Comparison): boolean =>
  metrics.every(({ isGated, verdict }) => !isGated || verdict === 'no_data');

function figuresText(metric: MetricComparison): string {
  const { base, head, change, range, margin, p } = rowOf(metric);
  return `${base} to ${head}, ${change} (95 % interval ${range}), margin ${margin}, adjusted p ${p}`;
}

const isRefuted = ({ name }: MetricComparison, { confirmation }: Comparison): boolean =>
  confirmation?.metrics.some((each) => each.name === name && !each.isConfirmed) === true;
