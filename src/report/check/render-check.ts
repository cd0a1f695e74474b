import { printableTexts } from '../../base/printable.ts';
import type { CheckDocument, RuleFinding } from '../../conformance/check-document.ts';
import { countOf, formatElapsed } from '../words/format.ts';
import { agentText } from '../words/agent-text.ts';
import { oneLine } from '../words/one-line.ts';
import { paragraph } from '../words/paragraph.ts';
import { renderJunit } from '../words/junit.ts';
import { renderTable, type Style } from '../words/table.ts';
import { cut } from '../words/width.ts';
import { groupBy } from '../../base/group-by.ts';
import { failedLine, lastLine } from '../words/last-line.ts';

/** Renders what a check found, as text for a terminal. */
export function renderCheck(document: CheckDocument, style: Style): string {
  const check = printableTexts(document);
  const parts = [
    `${style.colors.bold(headOf(check))}\ntarget    ${targetText(check)}`,
    ...ruleTable(check.rules, style),
    ...inWords(check, 'fail', style),
    ...inWords(check, 'warn', style),
    ...notTried(check.rules, style),
    [...remedyLines(check, style), summary(check, style), checkVerdictLine(check)].join('\n'),
  ];
  return parts.join('\n\n');
}

/** Renders it as JUnit XML: a case a rule; what was not tried is skipped, and a warning passes with its words. */
export function renderCheckJunit({ protocol, rules, startedAt, elapsedMs }: CheckDocument): string {
  return renderJunit({
    name: 'chat-load check',
    startedAt,
    elapsedMs,
    cases: rules.map(({ id, section, rule, expected, seen, verdict }) => {
      const text = `${placeOf(section, protocol)}: ${rule} Expected ${expected}; seen: ${seen}`;
      return {
        name: id,
        failure: verdict === 'fail' ? { message: `expected ${expected}; seen: ${seen}`, text } : undefined,
        skipped: verdict === 'skipped' ? seen : undefined,
        output: verdict === 'warn' ? text : undefined,
      };
    }),
  });
}

const headOf = ({ elapsedMs, exchanges }: CheckDocument): string =>
  `check: completed after ${formatElapsed(elapsedMs)}, ${countOf(exchanges, 'exchange')}`;

function targetText({ protocol, target: { embedded, baseUrl, agentId } }: CheckDocument): string {
  const name = oneLine(agentId, Infinity);
  const agent = protocol === undefined ? agentText(name) : `, ${protocol.name}${agentText(name, 'model')}`;
  return `${embedded ? 'embedded reference service' : oneLine(baseUrl, Infinity)}${agent}`;
}

/** Where a rule is written. */
const placeOf = (section: string, protocol: CheckDocument['protocol']): string =>
  protocol === undefined ? `section ${section}` : `${protocol.description}: ${section}`;

function ruleTable(all: readonly RuleFinding[], style: Style): string[] {
  const rules = all.filter(({ verdict }) => verdict !== 'skipped');
  if (rules.length === 0) return [];
  const verdicts = rules.map(({ verdict }) => verdictText(verdict, style));
  const taken = Math.max(...rules.map(({ id }) => id.length)) + 'not tried'.length + 3 * 2;
  const most = Math.max(20, Math.min(56, Math.floor((style.width - taken) / 2)));
  const columns = [{ head: 'CHECK' }, { head: 'rule' }, { head: 'expected', most }, { head: 'seen' }];
  const rows = rules.map(({ id, expected, seen, verdict }, index) => [
    verdicts[index] ?? '',
    id,
    expected,
    verdict === 'pass' ? cut(oneLine(seen, Infinity), longestSeen) : oneLine(seen, Infinity),
  ]);
  return [renderTable(columns, rows, style).trimStart()];
}

/** Rules that could not be tried: a paragraph for each reason. */
function notTried(rules: readonly RuleFinding[], { width, colors }: Style): string[] {
  const groups = groupBy(
    rules.filter(({ verdict }) => verdict === 'skipped'),
    ({ seen }) => seen,
  );
  return [...groups].map(([seen, group]) =>
    paragraph(`${oneLine(seen, Infinity)} (${group.map(({ id }) => id).join(', ')})`, {
      width,
      first: `${colors.dim('not tried')}  `,
    }),
  );
}

function verdictText(verdict: RuleFinding['verdict'], { colors }: Style): string {
  switch (verdict) {
    case 'pass':
      return colors.green('pass');
    case 'fail':
      return colors.red('FAIL');
    case 'warn':
      return colors.yellow('warning');
    case 'skipped':
      return colors.dim('not tried');
  }
}

/** Rules that are not kept, in words: the required ones, or the recommended ones. */
function inWords({ rules, protocol }: CheckDocument, kind: 'fail' | 'warn', style: Style): string[] {
  const broken = rules.filter(({ verdict }) => verdict === kind);
  if (broken.length === 0) return [];
  const rows = broken.map(({ id, section, rule }) => [
    id,
    `${rule} (${startWithCapital(placeOf(section, protocol))}.)`,
  ]);
  return [
    renderTable(
      [{ head: kind === 'fail' ? 'REQUIRED' : 'RECOMMENDED' }, { head: 'not kept' }],
      rows,
      style,
    ).trimStart(),
  ];
}

const startWithCapital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const remedyLines = ({ remedy }: CheckDocument, { width }: Style): string[] =>
  remedy === null ? [] : [paragraph(remedy, { width })];

function summary({ counts, rules }: CheckDocument, { colors }: Style): string {
  const { tried, passed, failed, warned, skipped } = counts;
  const paint = failed > 0 ? colors.red : tried === 0 ? colors.yellow : colors.green;
  const further = [
    ...(warned > 0 ? [countOf(warned, 'warning')] : []),
    ...(skipped > 0 ? [`${String(skipped)} not tried`] : []),
  ];
  return paint(
    `${String(passed)} of ${countOf(rules.length, 'rule')} passed, ${[`${String(failed)} failed`, ...further].join(', ')}`,
  );
}

/** The line that the text ends with, like that of a run. */
function checkVerdictLine({ counts, rules }: CheckDocument): string {
  const failed = rules.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
  if (failed.length > 0) return failedLine(`${countOf(failed.length, 'required rule')} not kept: ${failed.join(', ')}`);
  if (counts.tried === 0) return 'INVALID: no rule could be tried';
  return lastLine('PASSED', counts.warned === 0 ? '' : `but ${countOf(counts.warned, 'recommended rule')} not kept`);
}

/** For a passed rule, the beginning is enough. */
const longestSeen = 50;
