/** Required certainty. `probe`: estimates the limit; `quick`: guides the search; `full`: shows an end. */
export type Certainty = 'probe' | 'quick' | 'full';

export interface Demands {
  /** One-sided probability that an evaluation of a load exactly at its limit is wrong. */
  alpha: number;
  /** Minimum number of batches that are compared. */
  minBatches: number;
  /** Time until the next evaluation, as a share of the time so far. */
  lookEvery: number;
  /** Maximum correlation of neighbouring batches for a verdict. */
  maxCorrelation: number;
  /** Minimum length of a window in relaxation times: one of 100 random walks appears to have 20.7. */
  minTimes: { holds: number; broken: number };
  /** Length in relaxation times required of a passing load while there is time to go on; limited by the number of groups, the maximum that can be shown. */
  sureTimes: number;
  /** True if the part after the first generation of sessions is judged alone. */
  afterGeneration: boolean;
  /** Part of the maximum step duration for which a passing load is observed, at most four minutes, because a queue that is calm for a minute may still grow. A load far over its limit is observed for a third of it. */
  minPart: number;
  /** Part of the maximum step duration before which no step is abandoned, because the first minutes of a queue are not conclusive. */
  minTried: number;
  /** Estimated need of an undecided step, in maximum step durations, above which it is abandoned; generous, since estimates may be far off. */
  patience: number;
}

/**
 * Evaluations are repeated, so exactly at the limit the chance that any of them errs exceeds `alpha`. An end is shown
 * twice; the error rate of the whole answer is measured in test/monte-carlo/found-capacity.test.ts.
 */
const quick: Demands = {
  alpha: 0.05,
  minBatches: 8,
  lookEvery: 0.1,
  maxCorrelation: 1,
  minTimes: { holds: 0, broken: 0 },
  sureTimes: 0,
  afterGeneration: false,
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
    afterGeneration: true,
    minPart: 0.5,
    minTried: 0.9,
    patience: 2,
  },
};

/** Relaxed requirements of a full step far from the probable limit: a wrong verdict is unlikely there. */
export const rough: Partial<Demands> = { minTimes: { holds: 8, broken: 3 }, sureTimes: 8 };
