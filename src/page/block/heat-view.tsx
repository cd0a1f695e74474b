import type { HeatBlock } from '../../report/page/page.ts';

export function HeatView({ block }: { block: HeatBlock; timelines?: unknown }) {
  return <p>{block.title}</p>;
}
