/** How runs belong together. */
interface Matched {
  sitting: string | null;
  pair: string | null;
}

/** What counts as one observation, from the best design to the weakest. */
export type Design<T> =
  /** Both releases alternately within a sitting: drift affects both equally. */
  | { unit: 'pair'; pairs: readonly { base: T; head: T }[]; leftOut: number }
  /** In common sittings, not paired. `sharesAll`: no sitting is on one side alone. */
  | { unit: 'run'; base: readonly T[]; head: readonly T[]; sharesAll: boolean }
  /** No common sitting: drift between sittings is in every difference, so a sitting is one observation. */
  | { unit: 'sitting'; base: readonly (readonly T[])[]; head: readonly (readonly T[])[] };

/** How the runs of two sides can be compared. */
export function matchRuns<T extends Matched>(base: readonly T[], head: readonly T[]): Design<T> {
  const pairs = pairUp(base, head);
  const leftOut = base.length + head.length - 2 * pairs.length;
  // A few runs without their partner are left out, many are not.
  if (pairs.length > 0 && leftOut <= pairs.length) return { unit: 'pair', pairs, leftOut };
  const [baseSittings, headSittings] = [sittingsOf(base), sittingsOf(head)];
  const shared = [...baseSittings.keys()].filter((sitting) => headSittings.has(sitting)).length;
  if (shared === 0) return { unit: 'sitting', base: [...baseSittings.values()], head: [...headSittings.values()] };
  return { unit: 'run', base, head, sharesAll: shared === baseSittings.size && shared === headSittings.size };
}

/** How many observations a side has. */
export function observationsOf<T>(design: Design<T>): { base: number; head: number } {
  return design.unit === 'pair'
    ? { base: design.pairs.length, head: design.pairs.length }
    : { base: design.base.length, head: design.head.length };
}

/** The complete pairs; none unless every run has a pair of its own within its sitting. */
function pairUp<T extends Matched>(base: readonly T[], head: readonly T[]): { base: T; head: T }[] {
  if (![...base, ...head].every(({ sitting, pair }) => sitting !== null && pair !== null)) return [];
  const [bases, heads] = [base, head].map((runs) => new Map(runs.map((run) => [pairKey(run), run])));
  if (bases?.size !== base.length || heads?.size !== head.length) return [];
  return [...bases].flatMap(([key, run]) => {
    const partner = heads.get(key);
    return partner === undefined ? [] : [{ base: run, head: partner }];
  });
}

const pairKey = ({ sitting, pair }: Matched): string => JSON.stringify([sitting, pair]);

/** Runs by their sitting, in order; a run without one is a sitting of its own. */
function sittingsOf<T extends Matched>(runs: readonly T[]): Map<unknown, T[]> {
  const sittings = new Map<unknown, T[]>();
  for (const run of runs) {
    const key = run.sitting ?? run;
    sittings.set(key, [...(sittings.get(key) ?? []), run]);
  }
  return sittings;
}
