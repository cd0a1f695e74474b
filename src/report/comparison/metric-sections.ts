import type { Comparison, MetricComparison } from '../../compare/document/comparison.ts';
import { fact, heads, text, type OutlineBlock, type OutlineRow, type Section } from '../outline/outline.ts';
import { finite, type RangeRow, type RangesBlock, type Tone } from '../page/page.ts';
import { countOf } from '../../base/format.ts';
import { codeMarkdown, escapeMarkdown, markdownList } from '../words/markdown-text.ts';
import { clean } from '../words/paragraph.ts';
import {
  gateGroups,
  groupTexts,
  informational,
  movers,
  moversOf,
  notes,
  rowOf,
  undecided,
  type GroupName,
} from './comparison-rows.ts';
import { whyText } from './comparison-words.ts';

interface GroupLook {
  tone: Tone;
  state: NonNullable<OutlineRow['state']>;
  paint?: 'red' | 'yellow' | 'green';
  markdown: string;
}

const looks: Readonly<Record<GroupName, GroupLook>> = {
  regressed: { tone: 'failed', state: 'bad', paint: 'red', markdown: '**REGRESSED**' },
  improved: { tone: 'ok', state: 'good', paint: 'green', markdown: 'improved' },
  unchanged: { tone: 'neutral', state: 'good', paint: 'green', markdown: 'unchanged' },
  inconclusive: { tone: 'neutral', state: 'doubtful', paint: 'yellow', markdown: '**inconclusive**' },
  no_data: { tone: 'neutral', state: 'doubtful', paint: 'yellow', markdown: '**no data**' },
  not_gated: { tone: 'neutral', state: 'plain', markdown: 'not gated' },
};

/** Gate family: the metrics that can fail the comparison, the worst first. */
export function familySection(comparison: Comparison): Section {
  const groups = gateGroups(comparison);
  const judged = groups.flatMap(({ name, metrics }) => metrics.map((metric) => ({ name, metric })));
  const legends = legendTexts(comparison);
  const whyOf = reasonsOf(comparison);
  const changes = judged.map(({ name, metric }) => ({ metric, tone: looks[name].tone, note: groupTexts[name] }));
  return {
    page: {
      id: 'metrics',
      title: 'Changes',
      lead: 'Metrics that decide the verdict, with their changes from base to head.',
    },
    blocks: [
      {
        type: 'table',
        on: ['terminal'],
        title: '',
        // A single table aligns the figures of all groups.
        columns: heads('metric', '>base', '>head', '>change', '>95 % interval/1', '>margin/2', '>p/3'),
        rows: groups.flatMap(({ name: group, metrics }): OutlineRow[] => {
          const { paint } = looks[group];
          return [
            { cells: [groupTexts[group].toUpperCase()], ...(paint === undefined ? {} : { paint }) },
            ...metrics.map((metric) => {
              const { name, base, head, change, range, margin, p } = rowOf(metric);
              return { cells: [name, base, head, change, range, margin, p] };
            }),
          ];
        }),
        legend: { text: legends.join(' '), isLeftOutNamed: true },
      },
      ...changeRanges({ id: 'gate', of: 'gated metrics', changes }),
      {
        type: 'table',
        on: ['markdown', 'page'],
        title: 'Gated metrics',
        columns: [
          { head: 'verdict', markdown: 'made', on: ['markdown'] },
          { head: 'verdict', on: ['page'] },
          { head: 'metric', markdown: 'code' },
          ...heads('>base', '>head', '>change', '>95 % interval'),
          { head: 'margin', align: 'right', on: ['markdown'] },
          { head: 'adjusted p', align: 'right', on: ['markdown'] },
          { head: 'reason, and data needed', on: ['page'] },
        ],
        rows: judged.map(({ name: group, metric }) => {
          const { name, base, head, change, range, margin, p } = rowOf(metric);
          const figures = [name, base, head, change, range, margin, p, whyOf.get(name) ?? ''];
          return { cells: [looks[group].markdown, groupTexts[group], ...figures], state: looks[group].state };
        }),
      },
    ],
  };
}

/** Explains the columns of the statistics. */
export function statisticsLegends(comparison: Comparison): string[] {
  return [...legendTexts(comparison), detectableLegend];
}

/** Legends of the table of the gate family. */
function legendTexts({ metrics }: Comparison): string[] {
  const gated = metrics.filter(({ isGated }) => isGated);
  return [
    `p is adjusted for ${countOf(gated.length, 'metric')}; intervals are not.`,
    ...(gated.some(({ unit }) => unit === 'share') ? ['pp: percentage points.'] : []),
  ];
}

const detectableLegend = 'Detectable: smallest change that four of five such comparisons detect.';

/** Notes and reasons by metric. */
const reasonsOf = (comparison: Comparison): ReadonlyMap<string, string> =>
  new Map([
    ...notes(comparison),
    ...undecided(comparison).map((metric): [string, string] => [
      clean(metric.name),
      whyText(metric, comparison.design),
    ]),
  ]);

/** Undecided metrics, with reasons and the data that would decide them, and notes on the others. */
export function undecidedSections(comparison: Comparison): Section[] {
  const metrics = undecided(comparison);
  const noted = notes(comparison);
  const decides = `${countOf(metrics.length, 'metric')} undecided: reasons, and data needed`;
  return [
    { on: ['terminal'], blocks: noted.map(([name, words]) => fact('note', `${name}: ${words}`)) },
    {
      on: ['terminal', 'markdown'],
      details: metrics.length === 0 ? 'Notes' : decides,
      blocks: [
        {
          type: 'table',
          title: '',
          columns: [
            { head: 'metric', terminal: 'UNDECIDED', markdown: 'code' },
            { head: 'smallest detectable change', terminal: 'detectable', align: 'right', goes: 2 },
            { head: 'reason', terminal: 'reason, and data needed', min: 16, goes: 1 },
          ],
          rows: metrics.map((metric) => ({
            cells: [rowOf(metric).name, rowOf(metric).detectable, whyText(metric, comparison.design)],
          })),
          legend: { text: detectableLegend },
        },
        {
          type: 'made',
          markdown: markdownList(noted.map(([name, words]) => `${codeMarkdown(name)}: ${escapeMarkdown(words)}`)),
        },
      ],
    },
  ];
}

const informationalLegend = 'Informational: these never fail a comparison.';

/** Informational metrics: those that moved beyond noise, the largest change first; a page also lists the others. */
export function moverSection(comparison: Comparison): Section {
  const { shown, left } = movers(comparison);
  const others = countOf(left, 'other');
  return {
    page: { id: 'informational', title: 'Other metrics', lead: informationalLegend },
    details: `${countOf(shown.length + left, 'more metric')} moved (informational: these never fail a comparison)`,
    blocks: [
      {
        type: 'table',
        on: ['terminal', 'markdown'],
        title: '',
        columns: [
          { head: 'metric', terminal: 'ALSO MOVED', markdown: 'code' },
          ...heads('>base/2', '>head/1', '>change', '>95 % interval/3', ''),
        ],
        rows: shown.map((metric) => {
          const { name, base, head, change, range, direction } = rowOf(metric);
          return { cells: [name, base, head, change, range, direction] };
        }),
        legend: {
          text: `${informationalLegend}${left === 0 ? '' : ` ${others} moved less; --format json lists them.`}`,
        },
      },
      { ...text(left === 0 ? '' : `${others} moved less.`), on: ['markdown'] },
      ...informationalBlocks(comparison),
    ],
  };
}

function informationalBlocks(comparison: Comparison): OutlineBlock[] {
  const moved = moversOf(comparison);
  const others = informational(comparison.metrics).filter((metric) => !moved.includes(metric));
  const changes = moved.map((metric) => {
    const { direction } = rowOf(metric);
    return { metric, tone: direction === 'worse' ? ('failed' as const) : ('ok' as const), note: direction };
  });
  return [
    ...changeRanges({ id: 'informational', of: 'informational metrics that moved', changes }),
    {
      type: 'table',
      on: ['page'],
      title: 'Informational metrics',
      isFolded: true,
      columns: heads('moved', 'metric', '>base', '>head', '>change', '>95 % interval', '>margin', '>p', 'note'),
      rows: [...moved, ...others].map((metric, at) => {
        const { name, base, head, change, range, margin, p, direction } = rowOf(metric);
        // Only changes beyond noise are marked.
        const hasMoved = at < moved.length;
        return {
          cells: [hasMoved ? direction : '', name, base, head, change, range, margin, p, metric.reason ?? ''],
          state: !hasMoved ? 'plain' : direction === 'worse' ? 'bad' : 'good',
        };
      }),
    },
  ];
}

/** A metric in a chart, with its colour and a note. */
interface DrawnChange {
  metric: MetricComparison;
  tone: RangeRow['tone'];
  note: string;
}

interface ChangeRanges {
  /** Prefix of the ids of the charts. */
  id: string;
  /** Subject of the changes: `gated metrics`. */
  of: string;
  changes: readonly DrawnChange[];
}

/** Builds forest plots of relative changes and of changes of shares in points, which need separate scales. */
function changeRanges({ id, of, changes }: ChangeRanges): RangesBlock[] {
  const [shares, others] = [true, false].map((isShare) =>
    changes.filter(({ metric }) => (metric.unit === 'share') === isShare),
  );
  return [
    ...forestOf(others ?? [], { id: `${id}-changes`, title: `Changes: ${of}`, unit: 'change' }),
    ...forestOf(shares ?? [], { id: `${id}-points`, title: `Changes of shares: ${of}`, unit: 'points' }),
  ];
}

/** Builds a forest plot; none if no change is known. */
function forestOf(
  changes: readonly DrawnChange[],
  chart: Pick<RangesBlock, 'id' | 'title'> & { unit: 'change' | 'points' },
): RangesBlock[] {
  const rows = changes.map(rangeOf);
  if (rows.every(({ value }) => value === null)) return [];
  return [{ type: 'ranges', ...chart, description: descriptions[chart.unit], scale: 'linear', reference: 0, rows }];
}

const reading = 'the line its 95 % interval, the band the margin of irrelevant changes. Higher is worse unless noted.';
const descriptions = {
  change: `Head against base: the dot is the change, ${reading}`,
  points: `Head minus base, in percentage points: the dot is the change, ${reading}`,
};

const rangeOf = ({ metric, tone, note }: DrawnChange): RangeRow => ({
  label: clean(metric.name),
  tone,
  value: finite(metric.change),
  low: finite(metric.ci95?.low),
  high: finite(metric.ci95?.high),
  margin: metric.margin > 0 ? finite(metric.margin) : null,
  note: [note, metric.worse === 'lower' ? 'lower is worse' : ''].filter((text) => text !== '').join('; '),
});
