/** `probe`: to estimate where the limit is; `quick`: to find the way; `full`: to show an end. */
export type Certainty = 'probe' | 'quick' | 'full';

/** How sure a step has to be. */
export interface Demands {
  /** The probability that a look at what is just at its limit says otherwise, on one side. */
  alpha: number;
  /** Batches of seconds that are compared. */
  minBatches: number;
  /** How many seconds more are needed for the next look, as a share of those behind it. */
  lookEvery: number;
  /** Neighbouring batches more alike than this say nothing yet. */
  maxCorrelation: number;
  /** How many relaxation times a window has to be long: 20.7 is what one of 100 random walks looks like. */
  minTimes: { holds: number; broken: number };
  /** What holds has to be so long while there is time for more looks, where it can be seen: fewer groups than this show less of anything. */
  sureTimes: number;
  /** Whether what the first sessions left is judged alone. */
  behindGeneration: boolean;
  /** A calm minute is no calm queue: what holds is observed for this part of the longest step, four minutes at most; a load far over its limit for a third of that. */
  minPart: number;
  /** What a queue does is not known from its first minutes: nothing is given up before this part of the longest step. */
  minTried: number;
  /** How many times the longest step what is undecided may seem to need: estimates may be far off. */
  patience: number;
}

/**
 * Looks are repeated, so that at the very limit one of them errs more often than `alpha`. An end is shown twice; how
 * often the whole answer errs is measured in test/monte-carlo/capacity.test.ts.
 */
const quick: Demands = {
  alpha: 0.05,
  minBatches: 8,
  lookEvery: 0.1,
  maxCorrelation: 1,
  minTimes: { holds: 0, broken: 0 },
  sureTimes: 0,
  behindGeneration: false,
  minPart: 0,
  minTried: 0,
  patience: 0.5,
};
export const demands: Readonly<Record<Certainty, Demands>> = {
  probe: { ...quick, minBatches: 4 },
  quick,
  full: {
    alpha: 0.025,
    minBatches: 40,
    lookEvery: 0.2,
    maxCorrelation: 0.8,
    minTimes: { holds: 20, broken: 5 },
    sureTimes: 50,
    behindGeneration: true,
    minPart: 0.5,
    minTried: 0.9,
    patience: 2,
  },
};

/** Replaces demands of a full step far from the probable limit: a wrong verdict is unlikely there. */
export const rough: Partial<Demands> = { minTimes: { holds: 8, broken: 3 }, sureTimes: 8 };
