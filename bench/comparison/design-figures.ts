/** Percentages found different at p <= 5 %: equal releases, then a head slower by 5, 10 and 20 %. */
type Found = readonly [same: number, five: number, ten: number, twenty: number];

interface DesignCell {
  runsPerSide: number;
  noise: number;
  found: Found;
}

const cells = (runsPerSide: number, ...found: readonly [quiet: Found, usual: Found, noisy: Found]): DesignCell[] =>
  found.map((each, index) => ({ runsPerSide, noise: [0, 0.02, 0.05][index] ?? 0, found: each }));

/**
 * Figures of the simulation with which the method was designed: written in Python and independent of this code, with a
 * service of the same model (300 s at 200 turns/s), 4,000 comparisons per cell from 500 runs.
 */
export const designFigures: Readonly<Record<'turn.ok.p99' | 'turn.ok.p50', readonly DesignCell[]>> = {
  'turn.ok.p99': [
    ...cells(1, [1.5, 6.8, 32, 89.8], [1.7, 6.4, 25.5, 80.5], [2.3, 4.2, 11, 40.6]),
    ...cells(3, [2.3, 33.2, 89, 100], [3.5, 26.6, 78.5, 100], [4, 13, 40.7, 92.3]),
    ...cells(5, [3.5, 56.2, 99, 100], [4.5, 46.9, 96.1, 100], [4.7, 22, 66.5, 99.5]),
    ...cells(10, [3.6, 87.5, 100, 100], [4.4, 76.7, 99.9, 100], [4.8, 41.1, 92.8, 100]),
  ],
  'turn.ok.p50': [
    ...cells(1, [1.6, 49.8, 98.8, 100], [2.5, 17.1, 63.1, 99.6], [2.5, 5.1, 13.8, 52.1]),
    ...cells(3, [3.2, 97.9, 100, 100], [4.2, 59.5, 99.4, 100], [3.9, 16.5, 51.3, 97.7]),
    ...cells(5, [3.6, 99.9, 100, 100], [4.7, 84.6, 100, 100], [4.2, 27.9, 77.7, 100]),
    ...cells(10, [4.2, 100, 100, 100], [4.7, 99.1, 100, 100], [5, 51.7, 97.8, 100]),
  ],
};

/** Percentage of nights with an alarm: equal releases, after a confirming set, all metrics +10 %, one p99 +20 %. */
export interface DesignNight {
  runsPerSide: number;
  noise: number;
  same: readonly [byP: number, alarm: number, confirmed: number];
  all: readonly [alarm: number, confirmed: number];
  one: readonly [alarm: number, confirmed: number];
}

/** Figures of the same simulation for eight metrics, judged as one family. */
export const designNights: readonly DesignNight[] = [
  { runsPerSide: 3, noise: 0.02, same: [1.6, 1.5, 0.03], all: [100, 100], one: [98, 98] },
  { runsPerSide: 5, noise: 0.02, same: [2.8, 0.8, 0], all: [100, 100], one: [100, 100] },
  { runsPerSide: 3, noise: 0.05, same: [2, 2, 0.07], all: [53, 34], one: [62, 57] },
  { runsPerSide: 5, noise: 0.05, same: [2.8, 2.8, 0], all: [84, 76], one: [94, 93] },
  { runsPerSide: 10, noise: 0.05, same: [3.2, 2.9, 0.1], all: [100, 99], one: [100, 100] },
];

/** Figures of the same simulation for p99 with 2 % noise and 2 % drift between batches; equal releases, then +10 %. */
export const designDrift = {
  run: [
    [3, 10.6, 71],
    [5, 17.4, 88],
    [10, 29.1, 97],
  ],
  sitting: [
    [3, 3.2, 52],
    [5, 3.7, 63],
    [10, 4.4, 75],
  ],
  pair: [
    [3, 3, 76],
    [5, 3.4, 95],
    [10, 3.8, 100],
  ],
} as const;
