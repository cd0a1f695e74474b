import type {
  Comparability,
  Comparison,
  Difference,
  MetricComparison,
  Refusal,
} from '../../compare/document/comparison.ts';
import { sideNames } from '../../compare/document/side.ts';
import type { Result } from '../../result/result.ts';
import {
  fact,
  heads,
  lastSection,
  list,
  painted,
  table,
  text,
  warningWord,
  type OutlineBlock,
  type OutlineRow,
  type Section,
  type Writer,
} from '../outline/outline.ts';
import { writePage } from '../outline/write-page.ts';
import type { Page, Verdict } from '../page/page.ts';
import { formatP } from '../words/format-change.ts';
import { countOf, formatInstant, formatNumber } from '../../base/format.ts';
import { escapeMarkdown, markdownList } from '../words/markdown-text.ts';
import { clean } from '../words/paragraph.ts';
import { pageOfOne, type Ending, type Report } from '../outline/report.ts';
import { comparisonSuite, comparisonVerdictLine } from './comparison-ends.ts';
import {
  comparisonFacts,
  comparisonWarnings,
  confirmationTexts,
  designText,
  differenceText,
  foundText,
  opponents,
  reasonText,
  refusalText,
  refusalHint,
  sideText,
  targetText,
  verdictPaints,
  verdictLabels,
} from './comparison-text.ts';
import { gateGroups, rowOf } from './comparison-rows.ts';
import { statisticsLegends } from './comparison-legends.ts';
import { familySection, moverSection, undecidedSections } from './metric-sections.ts';
import { runName, timelinesOf, timeSection } from './sides-over-time.ts';
import { whereSections } from './where-sections.ts';

export const comparisonReport: Report<Comparison> = {
  outline: comparisonOutline,
  page: pageOfOne((comparison, { runs }) => viewComparison(comparison, runs)),
  junit: comparisonSuite,
};

/** Builds the sections of a comparison, the verdict first. In Markdown, for pull requests, all below the gate table is collapsed. */
export function comparisonOutline(comparison: Comparison, _: Ending, writer: Writer): Section[] {
  const { localization: where, verdict } = comparison;
  if (writer === 'markdown')
    return [
      {
        blocks: [
          { type: 'heading', text: `${verdictLabels[verdict]}: ${opponents(comparison)}` },
          text(foundText(comparison)),
        ],
      },
      refusalSection(comparison),
      familySection(comparison),
      { blocks: [text(where === null || where.shape === 'none' ? '' : where.summary)] },
      confirmationSection(comparison),
      ...undecidedSections(comparison),
      ...whereSections(comparison),
      moverSection(comparison),
      warningSection(comparison),
      runSection(comparison),
    ];
  const word = painted(verdictLabels[verdict], verdictPaints[verdict], 'bold');
  return [
    { blocks: [{ ...text(foundText(comparison), 'bold'), first: [word, '  '] }] },
    { blocks: [{ type: 'facts', facts: comparisonFacts(comparison) }] },
    refusalSection(comparison),
    familySection(comparison),
    ...undecidedSections(comparison),
    confirmationSection(comparison),
    ...whereSections(comparison),
    moverSection(comparison),
    warningSection(comparison),
    lastSection(comparisonVerdictLine(comparison)),
  ];
}

/** Builds the page of a comparison. `runs` are the available results of the compared runs, which charts draw over time. */
export function viewComparison(comparison: Comparison, runs: readonly Result[] = []): Page {
  const refused = isRefused(comparison);
  const timelines = refused ? [] : timelinesOf(comparison, runs);
  return writePage(
    {
      kind: 'comparison',
      title: opponents(comparison),
      facts: [...comparisonFacts(comparison), { name: 'chat-load', text: clean(comparison.toolVersion) }],
      verdict: verdictOf(comparison),
    },
    [
      ...(refused ? [refusalSection(comparison)] : []),
      familySection(comparison),
      confirmationSection(comparison),
      ...whereSections(comparison),
      ...(refused ? [] : [refusalSection(comparison)]),
      ...(refused ? [] : [timeSection(timelines)]),
      moverSection(comparison),
      runSection(comparison),
      designSection(comparison),
    ],
    { timelines: timelines.map(({ timeline }) => timeline) },
  );
}

/** Builds the verdict: the last line of the terminal, with the first lines as notes if they add to it. */
function verdictOf(comparison: Comparison): Verdict {
  const sentence = comparisonVerdictLine(comparison);
  const found = foundText(comparison);
  const label = verdictLabels[comparison.verdict];
  const notes = [
    ...(isRefused(comparison) || sentence.includes(found.replace(/\.$/, ''))
      ? []
      : [sentence.startsWith(label) ? found.slice(0, 1).toUpperCase() + found.slice(1) : `${label}: ${found}`]),
    ...refusalNotes(comparison),
    ...(isRefused(comparison) ? comparison.warnings : comparisonWarnings(comparison)).map(
      (warning) => `Warning: ${warning}`,
    ),
  ];
  return { state: stateOf(comparison), sentence, notes: notes.map(clean) };
}

/** Returns the state that matches the exit code; an inconclusive comparison that does not fail is neutral, not passed. */
export function stateOf({
  verdict,
  failOnInconclusive,
  violatedRuns = 0,
}: Pick<Comparison, 'verdict' | 'failOnInconclusive'> & { violatedRuns?: number }): Verdict['state'] {
  if (verdict === 'not_comparable') return 'invalid';
  const fails = verdict === 'regressed' || violatedRuns > 0 || (verdict === 'inconclusive' && failOnInconclusive);
  if (fails) return 'failed';
  return verdict === 'inconclusive' ? 'neutral' : 'passed';
}

function refusalNotes({ comparability }: Comparison): string[] {
  const { refusals, forced } = comparability;
  // The first section of a refused comparison lists the reasons, and all other differences.
  return forced
    ? refusals.map((each) => `Compared anyway (--force), although ${refusalText({ ...each, remedy: null })}`)
    : [];
}

/** Reports whether the comparison was refused, so that nothing was compared. */
function isRefused({ comparability: { refusals, forced } }: { comparability: Comparability }): boolean {
  return refusals.length > 0 && !forced;
}

/** Differences that make the comparison meaningless, with remedies; on a page also differences that may explain a change. */
export function refusalSection(
  comparison: { comparability: Comparability },
  markdown: string = refusalMarkdown(comparison.comparability),
): Section {
  const { comparability } = comparison;
  const { refusals, warnings, forced } = comparability;
  const refused = isRefused(comparison);
  return {
    page: {
      id: 'differences',
      title: refused ? 'Reasons for refusal' : 'Differences between the two sides',
      lead: refusals.length > 0 && forced ? 'It was compared anyway (--force).' : '',
    },
    blocks: [
      ...(refusals.length === 0 ? [] : refusalLines(comparability)),
      { type: 'made', markdown },
      table(
        'Differences',
        heads('field', 'base', 'head', 'meaning', 'remedy'),
        [...refusals.map(differenceRow('bad')), ...warnings.map(differenceRow('doubtful'))],
        { on: ['page'] },
      ),
      { ...text(refused ? refusalHint(comparability, '--force') : ''), on: ['terminal', 'page'] },
    ],
  };
}

function refusalLines({ refusals, forced }: Comparability): OutlineBlock[] {
  const title = forced ? 'COMPARED ANYWAY (--force), ALTHOUGH' : 'REFUSED, BECAUSE';
  const lines = [
    { ...text(''), first: [painted(title, forced ? 'yellow' : 'red')] },
    ...refusals.flatMap(({ remedy, ...refusal }) => [
      { ...text(reasonText(refusal)), first: ['  - '] },
      { ...text(differenceText(refusal), 'dim'), first: ['    '] },
      ...(remedy === null || forced ? [] : [{ ...text(remedy), first: ['    '] }]),
    ]),
  ];
  return lines.map((line) => ({ ...line, on: ['terminal'] }));
}

function refusalMarkdown(comparability: Comparability): string {
  const { refusals, forced } = comparability;
  if (refusals.length === 0) return '';
  const items = refusals.map(({ remedy, ...each }) =>
    [reasonText(each), differenceText(each), ...(remedy === null || forced ? [] : [remedy])]
      .map(escapeMarkdown)
      .join('<br>'),
  );
  const way = forced ? [] : [refusalHint(comparability, '`--force`')];
  return [refusalLead(comparability), markdownList(items), ...way].join('\n\n');
}

export function refusalLead({ forced }: Comparability): string {
  return forced ? 'Compared anyway (`--force`), although:' : 'Refused, because:';
}

const differenceRow =
  (state: 'bad' | 'doubtful') =>
  ({ key, base, head, ...other }: Difference | Refusal) => ({
    cells: [key, base, head, reasonText(other), 'remedy' in other ? (other.remedy ?? '') : ''],
    state,
  });

function confirmationSection(comparison: Comparison): Section {
  const texts = confirmationTexts(comparison);
  return {
    page: { id: 'confirmation', title: 'Confirmation', lead: '' },
    blocks: [
      ...texts.map((words, at): OutlineBlock => ({ ...fact(at === 0 ? 'CONFIRM' : '', words), on: ['terminal'] })),
      list(texts, { on: ['markdown', 'page'] }),
    ],
  };
}

function warningSection(comparison: Comparison): Section {
  const texts = comparisonWarnings(comparison);
  return { details: countOf(texts.length, 'warning'), blocks: [list(texts, { first: warningWord })] };
}

function runSection(comparison: Comparison): Section {
  const { base, head, design, verdict } = comparison;
  const texts = [
    `base: ${sideText(base)}`,
    `head: ${sideText(head)}`,
    `target: ${targetText(comparison)}`,
    ...(verdict === 'not_comparable' ? [] : [`design: ${designText(design)}`]),
    // A run may be on both sides.
    ...new Set([...base.runs, ...head.runs].map(({ id, file }) => `run ${id}${file === null ? '' : `: ${file}`}`)),
  ];
  const columns = heads(
    ...['run', 'label', 'started', '>seed', 'batch', 'pair', 'validity', 'target', 'file', 'id', 'note'],
  );
  return {
    details: 'Runs',
    page: { id: 'runs', isSecondary: true, title: 'Compared runs', lead: '' },
    blocks: [list(texts, { on: ['markdown'] }), table('Runs', columns, runRows(comparison), { on: ['page'] })],
  };
}

function runRows(comparison: Comparison): OutlineRow[] {
  return sideNames.flatMap((side) =>
    comparison[side].runs.map((run, index): OutlineRow => {
      const { id, file, label, startedAt, seed, sitting, pair, validity, target } = run;
      // A run may be on both sides; only the service of the head counts as broken.
      const harm = side === 'head' ? comparison.broken.find((each) => each.id === id && each.file === file) : undefined;
      const about = [label ?? '-', formatInstant(startedAt), String(seed), sitting ?? '-', pair ?? '-', validity];
      const reason = harm === undefined ? '' : `the service broke it: ${harm.reason}`;
      return {
        cells: [runName(side, index), ...about, target ?? 'embedded reference service', file ?? '-', id, reason],
        state: harm === undefined ? validityStates[validity] : 'bad',
      };
    }),
  );
}

const validityStates = { valid: 'plain', degraded: 'doubtful', invalid: 'bad' } as const;

/** Basis of the statistics; empty if nothing was compared. */
function designSection(comparison: Comparison): Section {
  const { design, verdict } = comparison;
  const rows = gateGroups(comparison).flatMap(({ metrics }) => metrics.map(designCells));
  return {
    page: { id: 'design', isSecondary: true, title: 'Statistics', lead: '' },
    blocks:
      verdict === 'not_comparable'
        ? []
        : [
            text(designText(design)),
            table('Statistics by metric', designColumns, rows, {
              isFolded: true,
              legend: { text: statisticsLegends(comparison).join(' ') },
            }),
          ],
  };
}

const designColumns = heads(
  ...['metric', '>margin', '>detectable', '>adjusted p', '>unadjusted p', '>p of a regression beyond the margin'],
  ...['>base runs', '>head runs', '>degrees of freedom', '>from history or assumption', 'noise'],
);

function designCells(metric: MetricComparison): string[] {
  const { name, runs, p, pBeyondMargin, degreesOfFreedom, priorDegreesOfFreedom, noise, isNoiseAssumed } = metric;
  const sources = [...(noise === null ? [] : [noiseTexts[noise]]), ...(isNoiseAssumed ? ['assumed'] : [])];
  const { margin, detectable, p: adjusted } = rowOf(metric);
  return [
    name,
    ...[margin, detectable, adjusted, formatP(p), formatP(pBeyondMargin)],
    ...[runs.base, runs.head].map(String),
    ...[degreesOfFreedom, priorDegreesOfFreedom].map((value) =>
      value === null ? (isNoiseAssumed ? 'known' : '-') : formatNumber(value),
    ),
    sources.join(', ') || '-',
  ];
}

const noiseTexts = { within_runs: 'mostly within runs', between_runs: 'mostly between runs' } as const;
