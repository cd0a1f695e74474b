/** A measured share and its expected value, in percent. */
export interface Share {
  measured: number;
  design: number;
  isBroken: boolean;
}

/** Noise of the shared pool of runs, which affects all cells equally, in percent. */
const poolNoise = 2;

/** Judges a false-alarm rate: at most 5 %, independent of the design's figure. */
export function falseAlarms(measured: number, { design, comparisons }: { design: number; comparisons: number }): Share {
  return {
    measured,
    design,
    isBroken: measured > 5 + chance(5, comparisons) + poolNoise,
  };
}

/** Judges a detection rate: at least the design's figure. */
export function found(measured: number, { design, comparisons }: { design: number; comparisons: number }): Share {
  return {
    measured,
    design,
    isBroken: measured < design - chance(design, comparisons) - poolNoise,
  };
}

/** Reports a share without judging it. */
export function plain(measured: number, design: number): Share {
  return { measured, design, isBroken: false };
}

export function shown({ measured, design, isBroken }: Share): string {
  return `${percent(measured)} (${percent(design)})${isBroken ? ' broken' : ''}`;
}

const percent = (share: number): string => share.toFixed(share < 10 && share !== 0 ? 1 : 0);

/** Returns three standard errors of a share, in percent. */
const chance = (share: number, comparisons: number): number => 3 * Math.sqrt((share * (100 - share)) / comparisons);
