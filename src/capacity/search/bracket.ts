import { closenessOf, seemsToHold } from './closeness.ts';
import type { Shown } from './step-runner.ts';

/** What was seen of a load, all of its steps together. */
interface Leaning {
  load: number;
  holds: boolean;
  isFull: boolean;
}

/** The nearest loads that seem to hold and to be broken; `null`: none was seen. */
export interface Bracket {
  low: number | null;
  high: number | null;
}

/** A load that seems broken counts before one above it that seems to hold, and a full step before a quick one. */
export function bracketOf(shown: readonly Shown[]): Bracket {
  const sure = shown.filter(isSure);
  const leanings = leaningsOf(sure.length > 0 ? sure : shown);
  const full = leanings.filter(({ isFull }) => isFull);
  const shownToHold = Math.max(0, ...full.filter(({ holds }) => holds).map(({ load }) => load));
  const believed = leanings.filter(({ holds, isFull, load }) => isFull || holds || load > shownToHold);
  const high = lowestOf(believed.filter(({ holds }) => !holds));
  const low = highestOf(believed.filter(({ holds, load }) => holds && load < (high ?? Infinity)));
  return { low, high };
}

/** How far from the limit a step has to be that is not certain itself. */
const farEnough = { probe: 0, quick: 0.5, full: 0.5 };

/** What is near the limit says where it is, and not on which side. */
function isSure({ step, certainty, isRising = false }: Shown): boolean {
  if (certainty === 'full' && step.verdict !== 'undecided') return true;
  // The slow turns of a queue that still grows have not ended.
  if (step.objectives.every(({ share }) => share === 0)) return !isRising || step.verdict === 'holds';
  return Math.abs(closenessOf(step)?.value ?? farEnough.quick) >= farEnough[certainty];
}

function leaningsOf(shown: readonly Shown[]): Leaning[] {
  const loads = [...new Set(shown.map(({ step }) => step.load))];
  return loads.map((load) => {
    const of = shown.filter(({ step }) => step.load === load);
    const full = of.filter(({ certainty }) => certainty === 'full');
    const decisive = full.length > 0 ? full : of.slice(-1);
    return { load, holds: meanLeaning(decisive) < 0, isFull: full.length > 0 };
  });
}

function meanLeaning(steps: readonly Shown[]): number {
  const signs = steps.map(({ step }): number => {
    if (step.verdict === 'undecided') return Math.max(-1, Math.min(1, closenessOf(step)?.value ?? -1));
    return seemsToHold(step) ? -1 : 1;
  });
  return signs.reduce((sum, sign) => sum + sign, 0) / signs.length;
}

const lowestOf = (leanings: readonly Leaning[]): number | null =>
  leanings.length === 0 ? null : Math.min(...leanings.map(({ load }) => load));

const highestOf = (leanings: readonly Leaning[]): number | null =>
  leanings.length === 0 ? null : Math.max(...leanings.map(({ load }) => load));
