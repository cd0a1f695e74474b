/** What went to one address. */
export interface AddressCounts {
  connections: number;
  exchanges: number;
  /** In how many look-ups in a row it was missing. */
  absences: number;
  /** Whether the service has moved away from it: connections to it carry nothing new. */
  isGone: boolean;
}

/** Resolvers may give a part of the addresses at a time: one that is missing once may be in the next answer. */
const mostAbsences = 2;

/** Takes down whether an address was in the answer to a look-up. */
export function noteLookUp(counts: AddressCounts, isPresent: boolean): void {
  counts.absences = isPresent ? 0 : counts.absences + 1;
  counts.isGone = counts.absences >= mostAbsences;
}
