import type { LinesBlock } from '../../report/page/page.ts';
import { XyChart } from '../svg/xy-chart.tsx';

/** Lines over something other than the time of a run. */
export function LinesView({ block }: { block: LinesBlock }) {
  return <XyChart block={block} />;
}
