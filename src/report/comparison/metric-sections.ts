import type { Comparison, MetricComparison } from '../../compare/document/comparison.ts';
import { fact, heads, table, text, type OutlineColumn, type OutlineRow, type Section } from '../outline/outline.ts';
import { finite, type RangeRow, type RangesBlock, type Tone } from '../page/page.ts';
import { countOf, formatCount } from '../../base/format.ts';
import { codeMarkdown, escapeMarkdown, markdownList } from '../words/markdown-text.ts';
import { clean } from '../words/paragraph.ts';
import {
  gateGroups,
  groupTexts,
  informational,
  moversOf,
  groupedNotes,
  notes,
  rowOf,
  undecided,
  type GroupName,
} from './comparison-rows.ts';
import { detectableLegend, legendTexts } from './comparison-legends.ts';
import { whyText } from './comparison-text.ts';

interface GroupLook {
  tone: Tone;
  state: NonNullable<OutlineRow['state']>;
  paint?: 'red' | 'yellow' | 'green';
  markdown: string;
}

const looks: Readonly<Record<GroupName, GroupLook>> = {
  regressed: { tone: 'failed', state: 'bad', paint: 'red', markdown: '**REGRESSED**' },
  improved: { tone: 'ok', state: 'good', paint: 'green', markdown: 'improved' },
  unchanged: { tone: 'neutral', state: 'plain', paint: 'green', markdown: 'unchanged' },
  inconclusive: { tone: 'retry', state: 'doubtful', paint: 'yellow', markdown: '**inconclusive**' },
  no_data: { tone: 'retry', state: 'doubtful', paint: 'yellow', markdown: '**no data**' },
  by_throughput: { tone: 'neutral', state: 'plain', markdown: 'moved with throughput' },
  not_gated: { tone: 'neutral', state: 'plain', markdown: 'not gated' },
};

/** Builds the gate family: the metrics that can fail the comparison, the worst first. */
export function familySection(comparison: Comparison): Section {
  const groups = gateGroups(comparison);
  // Changed metrics precede unchanged ones, gated or not.
  const judged = groups
    .flatMap(({ name, metrics }) => metrics.map((metric) => ({ name, metric })))
    .toSorted((a, b) => Number(isQuiet(a)) - Number(isQuiet(b)));
  const legends = legendTexts(comparison);
  const whyOf = reasonsOf(comparison);
  const changes = judged.map(({ name, metric }) => ({ metric, tone: looks[name].tone, note: groupTexts[name] }));
  // A single table aligns the figures of all groups.
  const grouped = groups.flatMap(({ name: group, metrics }): OutlineRow[] => {
    const { paint } = looks[group];
    return [
      { cells: [groupTexts[group].toUpperCase()], ...(paint === undefined ? {} : { paint }) },
      ...metrics.map((metric) => ({ cells: figuresOf(metric) })),
    ];
  });
  const rows = judged.map(({ name: group, metric }) => {
    const [name = '', ...figures] = figuresOf(metric);
    return {
      cells: [looks[group].markdown, name, groupTexts[group], ...figures, whyOf.get(clean(metric.name)) ?? ''],
      state: looks[group].state,
    };
  });
  return {
    page: {
      id: 'metrics',
      title: 'Changes',
      lead: 'Metrics that decide the verdict, with their changes from base to head.',
    },
    blocks: [
      table('', heads('metric', '>base', '>head', '>change', '>95 % interval/1', '>margin/2', '>p/3'), grouped, {
        on: ['terminal'],
        legend: { text: legends.join(' '), isOmittedNamed: true },
      }),
      ...changeRanges('gate', 'metrics of the verdict', changes),
      table('Metrics of the verdict', gatedColumns, rows, { on: ['markdown', 'page'] }),
    ],
  };
}

const isQuiet = ({ name, metric: { change, margin } }: { name: GroupName; metric: MetricComparison }): boolean =>
  name === 'unchanged' || name === 'no_data' || (name === 'not_gated' && Math.abs(change ?? 0) <= margin);

const gatedColumns: readonly OutlineColumn[] = [
  { head: 'verdict', markdown: 'made', on: ['markdown'] },
  ...heads('`metric`'),
  { head: 'verdict', on: ['page'] },
  ...heads('>base', '>head', '>change', '>95 % interval'),
  { head: 'margin', align: 'right', on: ['markdown'] },
  { head: 'adjusted p', align: 'right', on: ['markdown'] },
  { head: 'reason, and data needed', on: ['page'] },
];

function figuresOf(metric: MetricComparison): string[] {
  const { name, base, head, change, range, margin, p } = rowOf(metric);
  return [name, base, head, change, range, margin, p];
}

const reasonsOf = (comparison: Comparison): ReadonlyMap<string, string> =>
  new Map([
    ...notes(comparison),
    ...undecided(comparison).map((metric): [string, string] => [
      clean(metric.name),
      whyText(metric, comparison.design),
    ]),
  ]);

/** Lists metrics that are undecided or without data, with reasons and the data needed, and notes on the others. */
export function undecidedSections(comparison: Comparison): Section[] {
  const metrics = undecided(comparison);
  const noted = groupedNotes(notes(comparison));
  const title = openTitle(metrics);
  const rows = metrics.map((metric) => {
    const { name, detectable } = rowOf(metric);
    return [name, detectable, whyText(metric, comparison.design)];
  });
  const items = noted.map(([names, words]) => `${names.map(codeMarkdown).join(', ')}: ${escapeMarkdown(words)}`);
  return [
    { on: ['terminal'], blocks: noted.map(([names, words]) => fact('note', `${names.join(', ')}: ${words}`)) },
    {
      on: ['terminal', 'markdown'],
      details: metrics.length === 0 ? 'Notes' : `${title}: reasons, and data needed`,
      blocks: [
        table('', undecidedColumns(metrics), rows, { legend: { text: detectableLegend } }),
        { type: 'made', markdown: markdownList(items) },
      ],
    },
  ];
}

const isLacking = ({ verdict }: MetricComparison): boolean => verdict === 'no_data';

/** Counts metrics that are undecided and those without data: `2 metrics undecided, 1 without data`. */
function openTitle(metrics: readonly MetricComparison[]): string {
  const lacking = metrics.filter(isLacking).length;
  const open = metrics.length - lacking;
  if (lacking === 0) return `${countOf(open, 'metric')} undecided`;
  return open === 0
    ? `${countOf(lacking, 'metric')} without data`
    : `${countOf(open, 'metric')} undecided, ${formatCount(lacking)} without data`;
}

function undecidedColumns(metrics: readonly MetricComparison[]): readonly OutlineColumn[] {
  const head = metrics.every(isLacking) ? 'WITHOUT DATA' : metrics.some(isLacking) ? 'UNDECIDED, NO DATA' : 'UNDECIDED';
  return [
    ...heads(`\`metric\`|${head}`, '>smallest detectable change|detectable/2'),
    { head: 'reason', terminal: 'reason, and data needed', min: 16, goes: 1 },
  ];
}

const informationalLegend = 'Informational: these never fail a comparison.';

/** Lists informational metrics that moved beyond noise, the largest change first; a page also lists the others. */
export function moverSection(comparison: Comparison): Section {
  const moved = moversOf(comparison);
  const left = Math.max(0, moved.length - maxMovers);
  const others = countOf(left, 'other');
  const rest = informational(comparison.metrics).filter((metric) => !moved.includes(metric));
  const isWorse = (metric: MetricComparison): boolean => rowOf(metric).direction === 'worse';
  const changes = moved.map((metric) => ({
    metric,
    tone: isWorse(metric) ? ('failed' as const) : ('ok' as const),
    note: rowOf(metric).direction,
  }));
  const short = moved.slice(0, maxMovers).map((metric) => {
    const { name, base, head, change, range, direction } = rowOf(metric);
    return [name, base, head, change, range, direction];
  });
  // Only changes beyond noise are marked.
  const all = [...moved, ...rest].map((metric, at): OutlineRow => ({
    cells: [at < moved.length ? rowOf(metric).direction : '', ...figuresOf(metric), metric.reason ?? ''],
    state: at >= moved.length ? 'plain' : isWorse(metric) ? 'bad' : 'good',
  }));
  const legend = `${informationalLegend}${left === 0 ? '' : ` ${others} moved less; --format json lists them.`}`;
  return {
    page: { id: 'informational', isSecondary: true, title: 'Other metrics', lead: informationalLegend },
    details: `${countOf(moved.length, 'more metric')} moved (informational: these never fail a comparison)`,
    blocks: [
      table('', heads('`metric`|ALSO MOVED', '>base/2', '>head/1', '>change', '>95 % interval/3', ''), short, {
        on: ['terminal', 'markdown'],
        legend: { text: legend },
      }),
      { ...text(left === 0 ? '' : `${others} moved less.`), on: ['markdown'] },
      ...changeRanges('informational', 'informational metrics that moved', changes),
      table(
        'Informational metrics',
        heads('moved', 'metric', '>base', '>head', '>change', '>95 % interval', '>margin', '>p', 'note'),
        all,
        { on: ['page'], isFolded: true },
      ),
    ],
  };
}

const maxMovers = 10;

interface DrawnChange {
  metric: MetricComparison;
  tone: RangeRow['tone'];
  note: string;
}

/** Builds forest plots of relative changes and of changes of shares in points, which need separate scales. */
function changeRanges(id: string, of: string, changes: readonly DrawnChange[]): RangesBlock[] {
  const isShare = ({ metric }: DrawnChange): boolean => metric.unit === 'share';
  const [others, shares] = [changes.filter((each) => !isShare(each)), changes.filter(isShare)];
  return [
    ...forestOf(others.map(rangeOf), {
      id: `${id}-changes`,
      title: `Changes: ${of}`,
      unit: 'change',
      description: `Head against base: the dot is the change, ${reading}`,
    }),
    ...forestOf(shares.map(rangeOf), {
      id: `${id}-points`,
      title: `Changes of shares: ${of}`,
      unit: 'points',
      description: `Head minus base, in percentage points: the dot is the change, ${reading}`,
    }),
  ];
}

/** Builds a forest plot of the known changes; returns none if no change is known. */
export function forestOf(
  rows: readonly RangeRow[],
  chart: Pick<RangesBlock, 'id' | 'title' | 'description' | 'unit'>,
): RangesBlock[] {
  const known = rows.filter(({ value }) => value !== null);
  return known.length === 0 ? [] : [{ type: 'ranges', ...chart, scale: 'linear', reference: 0, rows: known }];
}

const reading = 'the line its 95 % interval, the band the margin of irrelevant changes. Higher is worse unless noted.';
const rangeOf = ({ metric, tone, note }: DrawnChange): RangeRow => ({
  label: clean(metric.name),
  tone,
  value: finite(metric.change),
  low: finite(metric.ci95?.low),
  high: finite(metric.ci95?.high),
  margin: metric.margin > 0 ? finite(metric.margin) : null,
  note,
  ...(metric.worse === 'lower' && { remark: 'lower is worse' }),
});
