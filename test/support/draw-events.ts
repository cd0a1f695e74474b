import type { Random } from '../../src/base/random.ts';

/** The number of events among independent turns; takes time in proportion to the events. */
export function drawEvents(random: Random, { share, count }: { share: number; count: number }): number {
  if (share === 0) return 0;
  // Gaps between events are geometric.
  const gap = (): number => Math.floor(Math.log(1 - random()) / Math.log1p(-share));
  let events = 0;
  for (let at = gap(); at < count; at += 1 + gap()) events++;
  return events;
}
