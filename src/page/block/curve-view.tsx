import type { CurveBlock } from '../../report/page/page.ts';

export function CurveView({ block }: { block: CurveBlock; timelines?: unknown }) {
  return <p>{block.title}</p>;
}
