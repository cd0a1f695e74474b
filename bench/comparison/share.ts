/** A measured share beside the one that it should have, both in per cent. */
export interface Share {
  measured: number;
  design: number;
  isBroken: boolean;
}

/** Runs are drawn from a pool again and again: what a pool has by chance is in all cells alike. In per cent. */
const poolNoise = 2;

/** A share of false alarms: at most five per cent, whatever the design gave. */
export function falseAlarms(measured: number, { design, comparisons }: { design: number; comparisons: number }): Share {
  return {
    measured,
    design,
    isBroken: measured > 5 + chance(5, comparisons) + poolNoise,
  };
}

/** A share of changes found: no less than the design gave. */
export function found(measured: number, { design, comparisons }: { design: number; comparisons: number }): Share {
  return {
    measured,
    design,
    isBroken: measured < design - chance(design, comparisons) - poolNoise,
  };
}

/** A share that is only reported. */
export function told(measured: number, design: number): Share {
  return { measured, design, isBroken: false };
}

export function shown({ measured, design, isBroken }: Share): string {
  return `${percent(measured)} (${percent(design)})${isBroken ? ' broken' : ''}`;
}

const percent = (share: number): string => share.toFixed(share < 10 && share !== 0 ? 1 : 0);

/** Three standard errors of a share, in per cent. */
const chance = (share: number, comparisons: number): number => 3 * Math.sqrt((share * (100 - share)) / comparisons);
