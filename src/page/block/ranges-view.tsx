import type { RangesBlock } from '../../report/page/page.ts';

export function RangesView({ block }: { block: RangesBlock; timelines?: unknown }) {
  return <p>{block.title}</p>;
}
