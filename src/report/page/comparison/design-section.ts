import type { Comparison, MetricComparison } from '../../../compare/document/comparison.ts';
import { designText } from '../../comparison/comparison-words.ts';
import { formatNumber } from '../../words/format.ts';
import { formatP } from '../../words/format-change.ts';
import { clean } from '../../words/paragraph.ts';
import type { Section, TableRow } from '../page.ts';
import { proseBlock } from '../prose-block.ts';
import { tableBlock } from '../table-block.ts';

/** What the statistics rest on; nothing where nothing was compared. */
export function designSection({ design, metrics, verdict }: Comparison): Section {
  const gated = metrics.filter(({ isGated }) => isGated);
  return {
    id: 'design',
    title: 'What the verdict rests on',
    lead: '',
    blocks:
      verdict === 'not_comparable'
        ? []
        : [
            ...proseBlock([designText(design)]),
            ...tableBlock({ title: 'The statistics of each metric', columns, rows: gated.map(rowOf) }),
          ],
  };
}

const columns = [
  'metric',
  '>runs of base',
  '>runs of head',
  '>p, not adjusted',
  '>p of a change for the worse beyond the margin',
  '>degrees of freedom',
  '>of these from history or assumption',
  'noise',
];

function rowOf(metric: MetricComparison): TableRow {
  const { name, runs, p, pBeyondMargin, degreesOfFreedom, priorDegreesOfFreedom, noise, isNoiseAssumed } = metric;
  const numberText = (value: number | null): string => (value === null ? '-' : formatNumber(value));
  const sources = [...(noise === null ? [] : [noiseTexts[noise]]), ...(isNoiseAssumed ? ['assumed'] : [])];
  const cells = [
    clean(name),
    String(runs.base),
    String(runs.head),
    formatP(p),
    formatP(pBeyondMargin),
    numberText(degreesOfFreedom),
    numberText(priorDegreesOfFreedom),
    sources.join(', ') || '-',
  ];
  return { cells, state: 'plain' };
}

const noiseTexts = { within_runs: 'mostly within runs', between_runs: 'mostly between runs' } as const;
