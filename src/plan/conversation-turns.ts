import type { SettledTurns } from '../scenario/turn-options.ts';

type Count = readonly [turns: number, conversations: number];
type Range = Extract<SettledTurns, { kind: 'weights' }>['ranges'][number];

/** More numbers than this are told by groups. */
const mostRanges = 100;

/** The turns of sessions that take conversations, of which the numbers of turns are known, up to a bound. Its mean is exact. */
export function conversationTurns(counts: readonly Count[], most = Infinity): SettledTurns {
  const bounded = boundCounts(counts, most);
  const [only] = bounded;
  if (bounded.length === 1 && only !== undefined) return { kind: 'constant', turns: only[0] };
  const ranges = bounded.length <= mostRanges ? bounded : groupCounts(bounded);
  return { kind: 'weights', ranges: ranges.map(([turns, weight]): Range => ({ min: turns, max: turns, weight })) };
}

function boundCounts(counts: readonly Count[], most: number): Count[] {
  const within = counts.filter(([turns]) => turns < most);
  const beyond = counts.reduce((sum, [turns, count]) => (turns < most ? sum : sum + count), 0);
  return beyond === 0 ? within : [...within, [Math.min(most, counts.at(-1)?.[0] ?? 1), beyond]];
}

/** Neighbours in groups; a group stands at its two ends, by weights that keep its mean. */
function groupCounts(counts: readonly Count[]): Count[] {
  const size = Math.ceil(counts.length / (mostRanges / 2));
  const starts = Array.from({ length: Math.ceil(counts.length / size) }, (_, group) => group * size);
  return starts.flatMap((start) => twoEnds(counts.slice(start, start + size)));
}

function twoEnds(group: readonly Count[]): Count[] {
  const low = group[0]?.[0] ?? 1;
  const high = group.at(-1)?.[0] ?? low;
  const total = group.reduce((sum, [, count]) => sum + count, 0);
  if (low === high) return [[low, total]];
  const above = group.reduce((sum, [turns, count]) => sum + (count * (turns - low)) / (high - low), 0);
  return [
    [low, total - above],
    [high, above],
  ];
}
