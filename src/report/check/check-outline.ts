import { groupBy } from '../../base/group-by.ts';
import { printableTexts } from '../../base/printable.ts';
import type { CheckDocument } from '../../conformance/check-document.ts';
import type { RuleFinding } from '../../conformance/check-document.ts';
import { asIs, heads, painted, text, type Paint, type Section } from '../outline/outline.ts';
import type { Report } from '../outline/report.ts';
import { agentText } from '../words/target-text.ts';
import { countOf, formatElapsed } from '../../base/format.ts';
import type { JunitSuite } from '../words/junit.ts';
import { failedLine, lastLine } from '../words/last-line.ts';
import { oneLine, cut } from '../words/width.ts';

/** What a check found. In JUnit a case a rule: what was not tried is skipped, and a warning passes with its words. */
export const checkReport: Report<CheckDocument> = { outline: checkOutline, junit: checkSuite };

function checkOutline(document: CheckDocument): Section[] {
  const check = printableTexts(document);
  const { rules, remedy, elapsedMs, exchanges } = check;
  return [
    {
      blocks: [
        text(`check: completed after ${formatElapsed(elapsedMs)}, ${countOf(exchanges, 'exchange')}`, 'bold'),
        asIs(`target    ${targetText(check)}`),
      ],
    },
    ruleSection(rules),
    brokenSection(check, 'fail', 'REQUIRED'),
    brokenSection(check, 'warn', 'RECOMMENDED'),
    notTriedSection(rules),
    { blocks: [text(remedy ?? ''), summaryLine(check), asIs(checkVerdictLine(check))] },
  ];
}

function checkSuite({ protocol, rules, startedAt, elapsedMs }: CheckDocument): JunitSuite {
  const ends = { pass: 'passed', warn: 'passed', fail: 'failed', skipped: 'skipped' } as const;
  return {
    name: 'chat-load check',
    startedAt,
    elapsedMs,
    cases: rules.map(({ id, section, rule, expected, seen, verdict }) => {
      const inFull = `${placeOf(section, protocol)}: ${rule} Expected ${expected}; seen: ${seen}`;
      const message = verdict === 'skipped' ? seen : `expected ${expected}; seen: ${seen}`;
      return { name: id, end: ends[verdict], text: verdict === 'pass' ? undefined : inFull, message };
    }),
  };
}

function targetText({ protocol, target: { embedded, baseUrl, agentId } }: CheckDocument): string {
  const name = oneLine(agentId, Infinity);
  const agent = protocol === undefined ? agentText(name) : `, ${protocol.name}${agentText(name, 'model')}`;
  return `${embedded ? 'embedded reference service' : oneLine(baseUrl, Infinity)}${agent}`;
}

/** Where a rule is written. */
const placeOf = (section: string, protocol: CheckDocument['protocol']): string =>
  protocol === undefined ? `section ${section}` : `${protocol.description}: ${section}`;

const verdicts: Readonly<Record<RuleFinding['verdict'], { word: string; paint: Paint }>> = {
  pass: { word: 'pass', paint: 'green' },
  fail: { word: 'FAIL', paint: 'red' },
  warn: { word: 'warning', paint: 'yellow' },
  skipped: { word: 'not tried', paint: 'dim' },
};

/** For a passed rule, the beginning is enough. */
const maxObservationLength = 50;

function ruleSection(all: readonly RuleFinding[]): Section {
  const rules = all.filter(({ verdict }) => verdict !== 'skipped');
  const taken = Math.max(...rules.map(({ id }) => id.length)) + verdicts.skipped.word.length + 3 * 2;
  const max = (width: number): number => Math.max(20, Math.min(56, Math.floor((width - taken) / 2)));
  return {
    blocks: [
      {
        type: 'table',
        title: '',
        columns: [...heads('check', 'rule'), { head: 'expected', max }, ...heads('seen')],
        rows: rules.map(({ id, expected, seen, verdict }) => {
          const { word, paint } = verdicts[verdict];
          const line = oneLine(seen, Infinity);
          return { cells: [word, id, expected, verdict === 'pass' ? cut(line, maxObservationLength) : line], paint };
        }),
      },
    ],
  };
}

/** Rules that are not kept, in words: the required ones, or the recommended ones. */
function brokenSection({ rules, protocol }: CheckDocument, kind: 'fail' | 'warn', title: string): Section {
  const broken = rules.filter(({ verdict }) => verdict === kind);
  const startWithCapital = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);
  return {
    blocks: [
      {
        type: 'table',
        title: '',
        columns: heads(title, 'not kept'),
        rows: broken.map(({ id, section, rule }) => ({
          cells: [id, `${rule} (${startWithCapital(placeOf(section, protocol))}.)`],
        })),
      },
    ],
  };
}

/** Rules that could not be tried: a paragraph for each reason. */
function notTriedSection(rules: readonly RuleFinding[]): Section {
  const skipped = rules.filter(({ verdict }) => verdict === 'skipped');
  return {
    isLoose: true,
    blocks: [...groupBy(skipped, ({ seen }) => seen)].map(([seen, group]) => ({
      ...text(`${oneLine(seen, Infinity)} (${group.map(({ id }) => id).join(', ')})`),
      first: [painted(verdicts.skipped.word, verdicts.skipped.paint), '  '],
    })),
  };
}

function summaryLine({ counts, rules }: CheckDocument) {
  const { tried, passed, failed, warned, skipped } = counts;
  const further = [
    ...(warned > 0 ? [countOf(warned, 'warning')] : []),
    ...(skipped > 0 ? [`${String(skipped)} not tried`] : []),
  ];
  const parts = [`${String(failed)} failed`, ...further].join(', ');
  const paint = failed > 0 ? 'red' : tried === 0 ? 'yellow' : 'green';
  return asIs(`${String(passed)} of ${countOf(rules.length, 'rule')} passed, ${parts}`, paint);
}

/** The line that the text ends with, like that of a run. */
function checkVerdictLine({ counts, rules }: CheckDocument): string {
  const failed = rules.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
  if (failed.length > 0) return failedLine(`${countOf(failed.length, 'required rule')} not kept: ${failed.join(', ')}`);
  if (counts.tried === 0) return 'INVALID: no rule could be tried';
  return lastLine('PASSED', counts.warned === 0 ? '' : `but ${countOf(counts.warned, 'recommended rule')} not kept`);
}
