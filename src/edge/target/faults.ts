import type { Ms } from '../../base/time.ts';
import { keyOf, randomOf, type Random } from '../../plan/random.ts';
import type { FaultEffect, SettledFault } from '../../scenario/embedded-faults.ts';
import type { Operation } from '../../session/send.ts';

/** Decides what goes wrong. All times count from the service's start. */
export class Faults {
  /** Whether replies are ever held by a frozen service. */
  readonly freezes: boolean;
  readonly #faults: Readonly<Record<Operation, ActiveFault[]>>;
  readonly #draws: Readonly<Record<Operation, Random>>;

  constructor(faults: readonly SettledFault[], seed: number) {
    const on = (operation: Operation): ActiveFault[] =>
      faults.filter((fault) => fault.on === operation).map((fault) => ({ ...fault, seen: 0 }));
    this.freezes = faults.some(({ effect }) => effect.kind === 'freeze');
    this.#faults = { message: on('message'), create: on('create') };
    this.#draws = { message: randomOf(seed, keyOf('message')), create: randomOf(seed, keyOf('create')) };
  }

  /**
   * What strikes an exchange that would be answered well. One draw decides among all shares, so that each fault has
   * its own share exactly; the others count the exchanges that no fault before them has struck.
   */
  strike(operation: Operation, at: Ms): FaultEffect | undefined {
    const faults = this.#faults[operation];
    if (faults.length === 0) return undefined;
    const draw = this.#draws[operation]();
    let shares = 0;
    for (const fault of faults) {
      if (fault.effect.kind === 'freeze' || !isWithin(fault, at)) continue;
      const from = shares;
      if (fault.strikes.by === 'share') shares += fault.strikes.share;
      if (hits(fault, draw, from)) return fault.effect;
    }
    return undefined;
  }

  /** Until when a reply that would be given now is held by a frozen service; `undefined` when it is not. */
  frozenUntil(operation: Operation, at: Ms): Ms | undefined {
    let until: Ms | undefined;
    for (const fault of this.#faults[operation]) {
      if (fault.effect.kind !== 'freeze' || !isWithin(fault, at) || fault.toMs === null) continue;
      if (until === undefined || fault.toMs > until) until = fault.toMs;
    }
    return until;
  }
}

interface ActiveFault extends SettledFault {
  /** Exchanges counted so far, for `every` and `first`. */
  seen: number;
}

const isWithin = ({ fromMs, toMs }: SettledFault, at: Ms): boolean => at >= fromMs && (toMs === null || at < toMs);

function hits(fault: ActiveFault, draw: number, from: number): boolean {
  fault.seen++;
  switch (fault.strikes.by) {
    case 'share':
      return draw >= from && draw < from + fault.strikes.share;
    case 'every':
      return fault.seen % fault.strikes.count === 0;
    case 'first':
      return fault.seen <= fault.strikes.count;
  }
}
