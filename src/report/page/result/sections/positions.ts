import { positions as positionNames } from '../../../../record/positions.ts';
import { percentiles } from '../../../../result/percentiles/percentiles.ts';
import { positionCells } from '../../../run/latency-table.ts';
import type { RangesBlock } from '../../page.ts';
import { rangesBlock, tableBlock } from '../shown/blocks.ts';
import type { SectionView } from '../shown/section-view.ts';
import { inRun, titleIn, type ShownRun } from '../shown/shown-run.ts';

const shown = percentiles.filter(({ name }) => ['p50', 'p95', 'p99'].includes(name));

export const positions: SectionView = {
  id: 'positions',
  title: 'By position in the session',
  lead: 'Whether the service slows down as a conversation grows.',
  view: (runs) => {
    const several = runs.filter(({ result }) => positionCells(result).rows.length > 0);
    return [
      ...shown.flatMap((percentile) => rangesOf(several, percentile)),
      ...several.flatMap((run) =>
        tableBlock({ title: titleIn(run, 'Turn latency by position'), first: 'position' }, positionCells(run.result)),
      ),
    ];
  },
};

/** The runs beside each other, position by position. */
function rangesOf(runs: readonly ShownRun[], { key, name }: (typeof shown)[number]): RangesBlock[] {
  const rows = positionNames.flatMap((position) =>
    runs.map((run) => {
      const latency = run.result.positions.find((each) => each.position === position);
      const interval = latency?.intervals?.[key];
      return {
        ...inRun(run, `turn ${position}`, 'first'),
        value: latency?.[key] ?? null,
        low: interval?.lowMs ?? null,
        high: interval?.highMs ?? null,
        margin: null,
        note: '',
      };
    }),
  );
  return rangesBlock(
    {
      id: `positions-${name}`,
      title: `Turn latency by position, ${name}`,
      description: 'With 95 % intervals from the scatter within the run, where there are enough values.',
      unit: 'ms',
      scale: 'log',
      reference: null,
    },
    rows,
  );
}
