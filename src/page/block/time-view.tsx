import type { TimeBlock, Timeline } from '../../report/page/page.ts';
import { TimeChart } from '../chart/time-chart.tsx';

export function TimeView({ block, timelines }: { block: TimeBlock; timelines: readonly Timeline[] }) {
  return <TimeChart block={block} timelines={timelines} />;
}
