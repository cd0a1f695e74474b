import type { Drift, SeriesDrift } from '../../../../result/sections/drift.ts';
import { formatValue, nameOf, noneOf, seriesText } from '../../../run/drift-lines.ts';
import { formatP } from '../../../words/format-change.ts';
import { formatElapsed, formatPercent } from '../../../words/format.ts';
import type { Block, RangesBlock } from '../../page.ts';
import { proseBlock } from '../../prose-block.ts';
import { rangesBlock, tableBlock } from '../shown/blocks.ts';
import type { SectionView } from '../shown/section-view.ts';
import { inRun, titleIn, type ShownRun } from '../shown/shown-run.ts';

export const drift: SectionView = {
  id: 'drift',
  title: 'Drift',
  lead: 'Whether anything changed during the run, apart from chance.',
  view: (runs) => {
    const judged = runs.filter(({ result }) => wasJudged(result.drift));
    return [...judged.flatMap(sentences), ...slopes(judged), ...judged.flatMap(seriesTable)];
  },
};

/** A run that was too short says nothing of drift. */
const wasJudged = (section: Drift | null): boolean =>
  section !== null && (section.service !== 'too_short' || section.generator !== 'too_short');

function sentences(run: ShownRun): readonly Block[] {
  const { drift: section } = run.result;
  if (section === null) return [];
  return proseBlock(sentencesOf(section).map((sentence) => titleIn(run, sentence)));
}

function sentencesOf(section: Drift): string[] {
  const drifting = section.series.filter(({ verdict }) => verdict === 'drift');
  return drifting.length === 0 ? [`Drift: ${noneOf(section)}.`] : drifting.map((series) => seriesText(series, section));
}

/** Shares are left out: their change is in points, which no axis of percentages can show. */
function slopes(runs: readonly ShownRun[]): RangesBlock[] {
  const rows = runs.flatMap((run) =>
    (run.result.drift?.series ?? [])
      .filter(({ unit }) => unit !== 'share')
      .map((series) => ({
        ...inRun(run, nameOf(series), toneOf(series)),
        value: series.perHour?.value ?? null,
        low: series.perHour?.low ?? null,
        high: series.perHour?.high ?? null,
        margin: null,
        note: verdictText(series),
      })),
  );
  return rangesBlock(
    {
      id: 'drift-per-hour',
      title: 'Change per hour',
      description:
        'With 95 % intervals, corrected for what neighbouring intervals have in common. An interval beside 0 alone is no drift yet: the verdict allows for having looked at every series.',
      unit: 'change',
      scale: 'linear',
      reference: 0,
    },
    rows,
  );
}

const toneOf = ({ subject, direction }: SeriesDrift) =>
  subject === 'generator' ? 'generator' : direction === 'worse' ? 'failed' : direction === 'better' ? 'ok' : 'neutral';

const right = 'right' as const;
const columns = [
  { head: 'figure' },
  { head: 'verdict' },
  { head: 'change per hour', align: right },
  { head: '95 % interval', align: right },
  { head: 'p', align: right },
  { head: 'at first', align: right },
  { head: 'at last', align: right },
];

function seriesTable(run: ShownRun): readonly Block[] {
  const { drift: section } = run.result;
  if (section === null) return [];
  const span = `between ${formatElapsed(section.fromMs)} and ${formatElapsed(section.toMs)} of the run`;
  return tableBlock(
    { title: titleIn(run, `Figures ${span}`), first: 'figure' },
    { columns, rows: section.series.map(rowOf) },
    ([, verdict = '']) => (verdict.startsWith('drift') ? (verdict.includes('worse') ? 'bad' : 'doubtful') : 'plain'),
  );
}

function rowOf(series: SeriesDrift): string[] {
  const { perHour, p, first, last, unit } = series;
  const sign = unit === 'share' ? 'points' : '%';
  const change = perHour === null ? '-' : `${formatPercent(perHour.value)} ${sign}`;
  const range = perHour === null ? '-' : `${formatPercent(perHour.low)} to ${formatPercent(perHour.high)}`;
  const ends = [first, last].map((value) => (value === null ? '-' : formatValue(value, unit)));
  return [nameOf(series), verdictText(series), change, range, formatP(p), ...ends];
}

function verdictText({ verdict, direction, shape, reason }: SeriesDrift): string {
  switch (verdict) {
    case 'none':
      return 'none shown';
    case 'too_short':
      return reason === null ? 'too short' : `too short: ${reason}`;
    case 'drift':
      return ['drift', direction, shape].filter((word) => word !== null).join(', ');
  }
}
