import type { SideName } from '../../compare/document/side.ts';
import type { Capacity } from '../document/capacity.ts';

/** A search on one side of a comparison. */
export interface SearchOfSide {
  /** Where it was read from; `null`: not from a file. */
  file: string | null;
  capacity: Capacity;
}

/** The searches of one release; at least one. */
export interface CapacitySide {
  label: string;
  searches: readonly SearchOfSide[];
}

export type CapacitySides = Readonly<Record<SideName, CapacitySide>>;

/** The documents of both sides, those of the base first. */
export function capacitiesOf({ base, head }: CapacitySides): Capacity[] {
  return [...base.searches, ...head.searches].map(({ capacity }) => capacity);
}
