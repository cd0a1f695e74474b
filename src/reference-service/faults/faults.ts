import type { Ms } from '../../base/time.ts';
import { keyOf, randomOf, type Random } from '../../base/random.ts';
import { effectOf, isStreamEffect, type FaultEffect, type ResolvedFault } from '../../scenario/embedded-faults.ts';
import type { ResolvedTiming } from '../../scenario/embedded-timing.ts';
import type { Operation } from '../../protocol/protocol.ts';

/** Decides which faults apply. All times count from the service's start. */
export class Faults {
  /** True if any fault freezes the service. */
  readonly freezes: boolean;
  readonly #freezes: readonly ResolvedFault[];
  readonly #strikes: Readonly<Record<Operation, Strikes<Striking>>>;

  constructor(faults: readonly ResolvedFault[], seed: number) {
    const on = (operation: Operation): Strikes<Striking> =>
      new Strikes(
        faults.filter((fault) => fault.on === operation).flatMap(strikingOf),
        randomOf(seed, keyOf(operation)),
      );
    this.#freezes = faults.filter(({ effect }) => effect.kind === 'freeze');
    this.freezes = this.#freezes.length > 0;
    this.#strikes = { message: on('message'), create: on('create') };
  }

  /** Returns the fault of an exchange that would succeed, if any. `shows` reports whether its reply could show a fault; `draw` replaces the draw in order of arrival. */
  strike(
    operation: Operation,
    at: Ms,
    shows: (effect: FaultEffect) => boolean = showsWhole,
    draw?: number,
  ): FaultEffect | undefined {
    return this.#strikes[operation].pick((fault) => isWithin(fault, at) && shows(fault.effect), draw)?.effect;
  }

  /** Returns the end of the current freeze, if any. */
  frozenUntil(operation: Operation, at: Ms): Ms | undefined {
    let until: Ms | undefined;
    for (const fault of this.#freezes) {
      if (fault.on !== operation || !isWithin(fault, at) || fault.toMs === null) continue;
      if (until === undefined || fault.toMs > until) until = fault.toMs;
    }
    return until;
  }
}

interface Striking extends ResolvedTiming {
  effect: FaultEffect;
}

function strikingOf(fault: ResolvedFault): Striking[] {
  const effect = effectOf(fault);
  return effect === undefined ? [] : [{ ...fault, effect }];
}

const showsWhole = (effect: FaultEffect): boolean => !isStreamEffect(effect);

/** Reports whether a time since the service's start is within a window. */
export function isWithin({ fromMs, toMs }: ResolvedTiming, at: Ms): boolean {
  return at >= fromMs && (toMs === null || at < toMs);
}

/**
 * Picks the item that applies, each by its own timing. One draw decides among all shares, so that each has exactly its
 * share; `every` and `first` count the operations that they could affect and that no earlier item affected.
 */
export class Strikes<Item extends ResolvedTiming> {
  readonly #items: readonly { item: Item; seen: number }[];
  readonly #draw: Random;

  constructor(items: readonly Item[], draw: Random) {
    this.#items = items.map((item) => ({ item, seen: 0 }));
    this.#draw = draw;
  }

  /** Returns the first item that applies, if any. */
  pick(canStrike: (item: Item) => boolean, given?: number): Item | undefined {
    if (this.#items.length === 0) return undefined;
    const draw = given ?? this.#draw();
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
  strikes: ResolvedTiming['strikes'],
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
