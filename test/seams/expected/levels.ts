import type { Tree } from '../figures.ts';
import type { RunPart } from '../oracle/facts.ts';

/** Average and maximum number of live sessions and turns in flight. */
export function levelsOf(stretches: readonly RunPart[], from: number, until: number): Tree {
  const levelOf = (of: RunPart['of']): Tree => {
    const those = stretches.filter((stretch) => stretch.of === of);
    const overlaps = those.map((each) => Math.max(0, Math.min(each.until, until) - Math.max(each.from, from)));
    const starts = [from, ...those.map((each) => each.from)].filter((start) => start >= from && start < until);
    const at = (instant: number): number => those.filter((each) => each.from <= instant && instant < each.until).length;
    return {
      mean: until > from ? overlaps.reduce((total, each) => total + each, 0) / (until - from) : 0,
      max: Math.max(0, ...starts.map(at)),
    };
  };
  return { sessions: levelOf('session'), turns: levelOf('turn') };
}
