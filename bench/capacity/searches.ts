import type { Search } from '../../src/features/capacity/search/search.ts';
import { bisect } from '../../src/features/capacity/test/bisection.ts';
import { capacityModels, oneTurnModels, type CapacityModel } from '../../src/features/capacity/test/capacity-models.ts';
import { covers, searchedWidth, searchModel } from '../../src/features/capacity/test/modelled-search.ts';
import { simulateTruth } from '../../src/features/capacity/test/model-truth.ts';
import { mean } from '../../src/statistics/averages.ts';
import type { Finding } from '../finding.ts';

interface SearchBench {
  /** Number of searches per model. */
  trials: number;
  report: (text: string) => void;
}

/** First seed; tests use lower ones. */
const firstSeed = 80_000;
const wanted = 0.92;
/** Limits of 0.8 and 21 per second: the default time suffices for an interval, but often not for a narrow one. */
const slow = new Set<CapacityModel | undefined>([oneTurnModels[0], oneTurnModels[1]]);
/** A limit above 20 sessions per second has an interval within five minutes. */
const promisedMs = 300_000;

/** Measures coverage and width of the interval, and the cost of a search, in virtual time. */
export async function measureSearches({ trials, report }: SearchBench): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const model of [...oneTurnModels, ...capacityModels]) {
    const found = [];
    for (let trial = 0; trial < trials; trial++) found.push(await searchModel(model, firstSeed + trial));
    const covered = found.filter((search) => covers(search, model)).length;
    const widths = found.flatMap(({ holds, broken, outcome }) =>
      outcome === 'found' ? [(broken?.load ?? Infinity) / (holds?.load ?? 0) - 1] : [],
    );
    const turns = mean(found.map(({ spent }) => spent.turns));
    report(`${model.name}: ${String(covered)} of ${String(trials)}`);
    findings.push(
      {
        what: `${model.name}: truth in the interval`,
        value: (100 * covered) / trials,
        unit: '%',
        ...(slow.has(model) ? {} : { atLeast: 100 * wanted }),
      },
      ...(widths.length === 0
        ? []
        : [{ what: '— mean width', value: 100 * mean(widths), unit: '%', atMost: 100 * searchedWidth + 1 }]),
      { what: '— turns', value: turns },
      {
        what: '— an interval within 5 minutes',
        value:
          (100 * found.filter(({ elapsedMs, outcome }) => outcome === 'found' && elapsedMs <= promisedMs).length) /
          trials,
        unit: '%',
      },
      { what: '— mean seconds', value: mean(found.map(({ elapsedMs }) => elapsedMs / 1000)) },
      {
        what: '— truth between the ends shown, for any outcome',
        value: (100 * found.filter((search) => brackets(search, model)).length) / trials,
        unit: '%',
        atLeast: 100 * wanted,
      },
    );
  }
  return findings;
}

/** Reports whether both ends were shown, with the truth between them. */
const brackets = ({ holds, broken }: Search, { truth }: CapacityModel): boolean =>
  holds !== null && broken !== null && holds.load <= truth && truth <= broken.load;

/** Measures the turns that plain bisection needs to be right as often. */
export async function measureBisection({ trials, report }: SearchBench): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const model of capacityModels) {
    let ours = 0;
    for (let trial = 0; trial < trials; trial++) ours += (await searchModel(model, firstSeed + trial)).spent.turns;
    const { stepMs, covered, turns } = await bisectAsWell(model, { trials, maxTurns: enough * ours });
    report(`${model.name}: steps of ${String(stepMs / 60_000)} min, ${String(covered)} of ${String(trials)}`);
    findings.push(
      { what: `${model.name}: bisection, step`, value: stepMs / 60_000, unit: 'min' },
      { what: '— truth in its interval', value: (100 * covered) / trials, unit: '%' },
      { what: '— its turns', value: turns / trials },
      { what: '— turns of the search as a share of them', value: ours / turns, atMost: 1 },
    );
  }
  return findings;
}

/** Limit, in multiples of the turns of the search, after which bisection has lost. */
const enough = 4;

/** Doubles the step length until bisection is right as often as required. */
async function bisectAsWell(model: CapacityModel, { trials, maxTurns }: { trials: number; maxTurns: number }) {
  for (let stepMs = 300_000; ; stepMs *= 2) {
    let [covered, turns] = [0, 0];
    for (let trial = 0; trial < trials; trial++) {
      const found = await bisect(model, { seed: firstSeed + trial, stepMs, width: searchedWidth });
      turns += found.turns;
      if (found.low <= model.truth && model.truth <= found.high) covered++;
    }
    if (covered >= wanted * trials || turns >= maxTurns) return { stepMs, covered, turns };
  }
}

/** Computes the true limits of the table by long simulation: 8 runs of `hours`. */
export function measureTruths({ hours, report }: { hours: number; report: (text: string) => void }): Finding[] {
  return capacityModels.flatMap((model): Finding[] => {
    const { load, standardError } = simulateTruth(model, { hours, replications: 8, firstSeed });
    report(`${model.name}: ${load.toFixed(3)} ± ${standardError.toFixed(3)}, in the table ${String(model.truth)}`);
    return [
      { what: `${model.name}: breaks at, by simulation`, value: load },
      { what: '— standard error', value: standardError },
      {
        what: '— difference from the truth in the table',
        value: (100 * Math.abs(load - model.truth)) / model.truth,
        unit: '%',
        atMost: 0.25 + (300 * standardError) / model.truth,
      },
    ];
  });
}
