import { groupBy } from '../base/group-by.ts';
import { printableTexts } from '../base/printable.ts';
import type { CheckDocument, RuleFinding } from '../conformance/check-document.ts';
import { asIs, heads, painted, table, text, type Paint, type Section } from './outline/outline.ts';
import type { Report } from './outline/report.ts';
import { agentText } from './words/target-text.ts';
import { countOf, formatElapsed } from '../base/format.ts';
import type { JunitSuite } from './words/junit.ts';
import { failedLine, lastLine } from './words/last-line.ts';
import { oneLine, cut } from './words/width.ts';

/** Report of a check. JUnit has one case per rule: rules not tested are skipped, warnings pass with a text. */
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
    skippedSection(rules),
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
      const inFull = `${sourceOf(section, protocol)}: ${rule} Expected ${expected}; observed: ${seen}`;
      const message = verdict === 'skipped' ? seen : `expected ${expected}; observed: ${seen}`;
      return { name: id, end: ends[verdict], text: verdict === 'pass' ? undefined : inFull, message };
    }),
  };
}

function targetText({ protocol, target: { embedded, baseUrl, agentId } }: CheckDocument): string {
  const name = oneLine(agentId, Infinity);
  const agent = protocol === undefined ? agentText(name) : `, ${protocol.name}${agentText(name, 'model')}`;
  return `${embedded ? 'embedded reference service' : oneLine(baseUrl, Infinity)}${agent}`;
}

const sourceOf = (section: string, protocol: CheckDocument['protocol']): string =>
  protocol === undefined ? `API description, section ${section}` : `${protocol.description}: ${section}`;

const verdicts: Readonly<Record<RuleFinding['verdict'], { word: string; paint: Paint }>> = {
  pass: { word: 'pass', paint: 'green' },
  fail: { word: 'FAIL', paint: 'red' },
  warn: { word: 'warning', paint: 'yellow' },
  skipped: { word: 'skipped', paint: 'dim' },
};

/** Columns of an observation shown for a passed rule. */
const maxObservationLength = 50;
const widestVerdict = Math.max(...Object.values(verdicts).map(({ word }) => word.length));

function ruleSection(all: readonly RuleFinding[]): Section {
  const rules = all.filter(({ verdict }) => verdict !== 'skipped');
  const taken = Math.max(...rules.map(({ id }) => id.length)) + widestVerdict + 3 * 2;
  const max = (width: number): number => Math.max(20, Math.min(56, Math.floor((width - taken) / 2)));
  const rows = rules.map(({ id, expected, seen, verdict }) => {
    const { word, paint } = verdicts[verdict];
    const line = oneLine(seen, Infinity);
    return { cells: [word, id, expected, verdict === 'pass' ? cut(line, maxObservationLength) : line], paint };
  });
  return { blocks: [table('', [...heads('check', 'rule'), { head: 'expected', max }, ...heads('observed')], rows)] };
}

function brokenSection({ rules, protocol }: CheckDocument, kind: 'fail' | 'warn', title: string): Section {
  const rows = rules
    .filter(({ verdict }) => verdict === kind)
    .map(({ id, section, rule }) => {
      const source = sourceOf(section, protocol);
      return [id, `${rule} (${source.slice(0, 1).toUpperCase()}${source.slice(1)}.)`];
    });
  return { blocks: [table('', heads(title, 'broken rule'), rows)] };
}

/** Lists skipped rules, one paragraph per reason. */
function skippedSection(rules: readonly RuleFinding[]): Section {
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
    ...(skipped > 0 ? [`${String(skipped)} skipped`] : []),
  ];
  const parts = [`${String(failed)} failed`, ...further].join(', ');
  const paint = failed > 0 ? 'red' : tried === 0 ? 'yellow' : 'green';
  return asIs(`${String(passed)} of ${countOf(rules.length, 'rule')} passed, ${parts}`, paint);
}

/** Returns the last line of the text, in the form of a run's verdict line. */
function checkVerdictLine({ counts, rules }: CheckDocument): string {
  const failed = rules.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
  if (failed.length > 0) return failedLine(`${countOf(failed.length, 'required rule')} broken: ${failed.join(', ')}`);
  if (counts.tried === 0) return 'INVALID: no rule could be tested';
  return lastLine('PASSED', counts.warned === 0 ? '' : `but ${countOf(counts.warned, 'recommended rule')} broken`);
}
