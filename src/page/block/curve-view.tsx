import { useMemo, useState } from 'preact/hooks';
import type { CurveBlock, LinesBlock } from '../../report/page/page.ts';
import { XyChart } from '../svg/xy-chart.tsx';

/** Percentile curves: the tail gets as much room as the rest. */
export function CurveView({ block }: { block: CurveBlock }) {
  const [isLog, scale] = useState(false);
  const lines = useMemo(() => linesOf(block), [block]);
  return (
    <XyChart block={lines} isLog={isLog} between="next">
      <p class="choices">
        <label>
          <input type="checkbox" checked={isLog} onChange={() => scale(!isLog)} /> Logarithmic durations
        </label>
      </p>
    </XyChart>
  );
}

function linesOf({ id, title, description, series }: CurveBlock): LinesBlock {
  return {
    type: 'lines',
    id,
    title,
    description,
    x: { title: 'percentile', form: 'percentile', labels: [] },
    unit: 'ms',
    form: 'line',
    marks: [],
    series: series.map(({ label, tone, points }) => ({
      label,
      tone,
      points: points.map(([x, y]) => ({ x, y, low: null, high: null })),
    })),
  };
}
