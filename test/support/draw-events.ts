import type { Random } from '../../src/base/random.ts';

/** How many of so many independent turns are events; takes no longer than there are events. */
export function drawEvents(random: Random, { share, count }: { share: number; count: number }): number {
  if (share === 0) return 0;
  // Gaps between events are geometric.
  const gap = (): number => Math.floor(Math.log(1 - random()) / Math.log1p(-share));
  let events = 0;
  for (let at = gap(); at < count; at += 1 + gap()) events++;
  return events;
}
