import { dirname } from 'node:path';
import type { Comparison } from '../../compare/document/comparison.ts';
import type { SideName } from '../../compare/document/side.ts';
import { judgeSides, type Judging } from './judge-sides.ts';
import { readSide, type SideSources } from './read-side.ts';

/** Reads the results of two releases and compares them. Throws a usage error for results or a history that cannot be read. */
export async function performComparison(
  sides: Readonly<Record<SideName, SideSources>>,
  judging: Judging,
): Promise<Comparison> {
  const base = await readSide(sides.base);
  const head = await readSide(sides.head);
  return judgeSides({ base, head }, judging, dirname(base.runs[0]?.file ?? ''));
}
