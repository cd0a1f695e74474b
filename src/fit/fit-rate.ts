import { gammaTails } from '../statistics/gamma.ts';
import type { ArrivalFit } from './document/fit.ts';
import type { ArrivalCounts } from './observe/arrival-counts.ts';

/** How improbable a change of the rate has to be by chance, and how large, for the scenario to follow it. */
const alpha = 0.001;
const leastVariation = 0.1;

/**
 * Whether the rate varies from bin to bin, by more than arrivals of this dispersion do at a steady rate: the index of
 * dispersion of the bins over that of neighbouring windows, which a slow change does not touch.
 */
export function fitRate(counts: ArrivalCounts, lengthMs: number): NonNullable<ArrivalFit['rate']> {
  const { bins, binMs, sessions } = counts;
  const spans = bins.map((_, index) => Math.min(binMs, lengthMs - index * binMs));
  // An end of a trace that holds next to nothing says nothing of a rate.
  const judged = bins.flatMap(({ sessions: seen }, index) => {
    const expected = (sessions * (spans[index] ?? 0)) / lengthMs;
    return expected >= leastExpected ? [{ seen, expected }] : [];
  });
  const scatter = judged.reduce((sum, { seen, expected }) => sum + (seen - expected) ** 2 / expected, 0);
  const dispersion = Math.max(0.02, counts.dispersion?.value ?? 1);
  const free = Math.max(1, judged.length - 1);
  const p = gammaTails(free / 2, scatter / dispersion / 2).above;
  const expected = judged.reduce((sum, each) => sum + each.expected, 0);
  const variation = Math.sqrt(Math.max(0, scatter - free * dispersion) / Math.max(1, expected));
  return {
    binMs,
    perSecond: bins.map(({ sessions: seen }, index) => (1000 * seen) / Math.max(1, spans[index] ?? 0)),
    variation,
    p,
    varies: p < alpha && variation >= leastVariation,
  };
}

const leastExpected = 5;
