import type { Claims } from './ends.ts';
import { roundLoad } from './round-load.ts';
import type { SearchSettings } from './search.ts';
import type { Shown } from './step-runner.ts';

interface Known {
  /** Where the limit probably is. */
  estimate: number;
  settings: Pick<SearchSettings, 'by' | 'width' | 'least' | 'most'>;
  evidence: readonly Shown[];
  fullMs: number;
}

/** Part of the width below the estimate. */
const partBelow = 0.66;
/** An end keeps at least this part of the width away from the estimate. */
const leastDistance = 0.2;
/** What is as near as this part of the width to a load that said nothing says nothing either. */
const tooNear = 0.15;

/**
 * The load at which an end is looked for by a full step: as far from the estimate as the width allows, and from the end
 * that is there already. What said nothing is near the limit: then half the width away from it, on either side. `null`:
 * nothing is left between the ends.
 */
export function placeEnd({ holding, broken }: Claims, { estimate, settings, evidence, fullMs }: Known): number | null {
  const { by, width, least, most } = settings;
  const [held, broke] = [holding.at(-1)?.load ?? null, broken[0]?.load ?? null];
  const full = evidence.filter(({ certainty }) => certainty === 'full').map(({ step }) => step);
  const silent = full
    .filter(({ verdict, elapsedMs }) => verdict === 'undecided' && elapsedMs > 0.6 * fullMs)
    .map(({ load }) => load);
  const isApart = (load: number): boolean =>
    silent.every((other) => other !== load && (by === 'concurrency' || distance(other, load, width) > tooNear));
  const isOpen = (load: number): boolean =>
    load >= least && load <= most && load > (held ?? 0) && load < (broke ?? Infinity) && isApart(load);
  const wanted = [...byEnds({ held, broke, estimate, width }), ...besides(estimate, width), ...around(estimate, width)];
  return wanted.map((load) => roundTowards(load, estimate, by)).find(isOpen) ?? null;
}

/** Where the width would be reached by one step more, if the estimate lies well within it. */
function byEnds(known: { held: number | null; broke: number | null; estimate: number; width: number }): number[] {
  const { held, broke, estimate, width } = known;
  const isWithin = (end: number): boolean =>
    distance(end, estimate, width) >= leastDistance && distance(end, estimate, width) <= partBelow + leastDistance;
  const above =
    held !== null && held < estimate && isWithin(held) && distance(held, estimate, width) > 0.4
      ? [held * (1 + width)]
      : [];
  const below = broke !== null && broke > estimate && isWithin(broke) ? [broke / (1 + width)] : [];
  return [...above, ...below];
}

/** The width away from each other, with the estimate nearer to the upper end: steps begin with an idle service, which flatters it. */
function besides(estimate: number, width: number): number[] {
  return [estimate / (1 + width) ** partBelow, estimate * (1 + width) ** (1 - partBelow)];
}

/** Whatever is left, from a third of the width away. */
const around = (estimate: number, width: number): number[] =>
  Array.from({ length: 8 }, (_, at) => estimate * (1 + width) ** ((at % 2 === 0 ? -1 : 1) * (0.4 + 0.05 * at)));

/** In widths, on a logarithmic scale. */
const distance = (one: number, other: number, width: number): number =>
  Math.abs(Math.log(one / other)) / Math.log1p(width);

/** So that the width is kept; of a rate a unit of its third digit: half of it would be rounded away. */
function roundTowards(load: number, estimate: number, by: SearchSettings['by']): number {
  const unit = by === 'concurrency' ? 1 : 10 ** (Math.floor(Math.log10(load)) - 2);
  const units = load / unit;
  return Math.max(
    by === 'concurrency' ? 1 : 0,
    roundLoad((load > estimate ? Math.floor(units + 1e-9) : Math.ceil(units - 1e-9)) * unit, by),
  );
}
