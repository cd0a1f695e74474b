import type { LinesBlock } from '../../report/page/page.ts';

export function LinesView({ block }: { block: LinesBlock; timelines?: unknown }) {
  return <p>{block.title}</p>;
}
