import type { Ms } from '../../base/time.ts';
import type { Random } from '../../base/random.ts';
import type { SettledTiming } from '../../scenario/embedded-timing.ts';

/** Whether something can strike at that time, counted from the service's start. */
export function isWithin({ fromMs, toMs }: SettledTiming, at: Ms): boolean {
  return at >= fromMs && (toMs === null || at < toMs);
}

/**
 * Picks from a list what applies, each by its own timing. One draw decides among all shares, so that each has exactly
 * its share; `every` and `first` count what they could have hit and no earlier entry did.
 */
export class Strikes<Item extends SettledTiming> {
  readonly #items: readonly { item: Item; seen: number }[];
  readonly #draw: Random;

  constructor(items: readonly Item[], draw: Random) {
    this.#items = items.map((item) => ({ item, seen: 0 }));
    this.#draw = draw;
  }

  /** The next one that applies, among those that can; `undefined`: none. */
  pick(canStrike: (item: Item) => boolean): Item | undefined {
    if (this.#items.length === 0) return undefined;
    const draw = this.#draw();
    let shares = 0;
    for (const counted of this.#items) {
      const { item } = counted;
      if (!canStrike(item)) continue;
      counted.seen++;
      const from = shares;
      if (item.strikes.by === 'share') shares += item.strikes.share;
      if (hits(item.strikes, counted.seen, { draw, from })) return item;
    }
    return undefined;
  }
}

function hits(
  strikes: SettledTiming['strikes'],
  seen: number,
  { draw, from }: { draw: number; from: number },
): boolean {
  switch (strikes.by) {
    case 'share':
      return draw >= from && draw < from + strikes.share;
    case 'every':
      return seen % strikes.count === 0;
    case 'first':
      return seen <= strikes.count;
  }
}
