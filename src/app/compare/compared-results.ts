import type { Comparison } from '../../compare/document/comparison.ts';
import { readResult } from '../../edge/disk/read-result.ts';
import type { Result } from '../../result/result.ts';

/** The results that a comparison was just made from, as far as they can be read again: a page draws them over time. */
export async function readCompared({ base, head }: Comparison): Promise<Result[]> {
  const files = [...base.runs, ...head.runs].flatMap(({ file }) => file ?? []);
  // What could be compared can be drawn, unless it has gone in between.
  const read = await Promise.all(files.map((file) => readResult(file).catch(() => undefined)));
  return read.filter((result) => result !== undefined);
}
