import type { SideName } from '../../../compare/document/side.ts';

/** How charts and tables name a run: `base run 1`. */
export function runName(side: SideName, index: number): string {
  return `${side} run ${String(index + 1)}`;
}
