import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../../base/group-by.ts';
import { countOf } from '../../base/format.ts';
import { listFirst } from '../../base/list-first.ts';
import { shortcomingOf } from '../../compare/comparability/run-requirements.ts';
import { groupOf } from '../../compare/document/group-of.ts';
import { isNight } from '../../compare/document/release-of.ts';
import type { ResultFacts } from '../../compare/document/result-head.ts';
import { readFolderFacts } from '../../edge/disk/read-result-folder.ts';

/** A night, and the folders that its results and the baseline are in. */
export interface NightPlaces {
  label: string;
  results: string;
  baseline: string;
}

/** What a night is compared with. */
export interface Baseline {
  /** Names of results, as `compare --base` takes them. */
  sources: readonly string[];
  /** `kept`: what the user keeps as the baseline; `night`: the first night, as long as nothing is kept. */
  from: 'kept' | 'night';
}

const mostNamed = 3;

/**
 * Chooses the baseline of a night: the kept one, without results of other scenarios and targets; if nothing is kept,
 * the first night that can be compared with this one. `notes` tell the user about the choice.
 */
export function chooseBaseline(places: NightPlaces): { baseline: Baseline | undefined; notes: string[] } {
  const nights = readFacts(places.results);
  const tonight = nights.filter(({ facts }) => facts.run.label === places.label);
  const [one] = tonight;
  const { sources, foreign } = keptSources(places.baseline, one?.facts);
  if (sources.length > 0) return { baseline: { sources, from: 'kept' }, notes: noteOf(foreign, places) };
  const none = [...noteOf(foreign, places), `There is no baseline in ${places.baseline} yet.`];
  const first = firstNight(nights, tonight);
  if (first === undefined) return { baseline: undefined, notes: none };
  return {
    baseline: { sources: [`label:${first}`], from: 'night' },
    notes: [...none, `Tonight is compared with ${first}, the first night like it in ${places.results}.`],
  };
}

interface FileFacts {
  file: string;
  facts: ResultFacts;
}

const readFacts = (folder: string): FileFacts[] =>
  readFolderFacts({ folder }, (file, facts) => ({ file: join(folder, file), facts })).taken;

/** Damaged files are left to the comparison, which names them. */
function keptSources(baseline: string, tonight: ResultFacts | undefined): { sources: string[]; foreign: FileFacts[] } {
  if (!existsSync(baseline)) return { sources: [], foreign: [] };
  if (tonight === undefined || !statSync(baseline).isDirectory()) return { sources: [baseline], foreign: [] };
  const { taken, skipped } = readFolderFacts({ folder: baseline }, (file, facts) => ({ file, facts }));
  const foreign = taken.filter(({ facts }) => subjectOf(facts) !== subjectOf(tonight));
  const own = [...taken.filter((each) => !foreign.includes(each)), ...skipped];
  return {
    sources: foreign.length === 0 && own.length > 0 ? [baseline] : own.map(({ file }) => join(baseline, file)),
    foreign,
  };
}

/** What was measured: the scenario by its hash, and the kind of the target. */
const subjectOf = ({ scenario, target }: ResultFacts): string =>
  JSON.stringify([scenario.hash, target.embedded, target.protocol, target.stream]);

function noteOf(foreign: readonly FileFacts[], { baseline }: NightPlaces): string[] {
  if (foreign.length === 0) return [];
  const named = [...new Set(foreign.map(({ facts }) => nameOf(facts)))];
  return [
    `${countOf(foreign.length, 'result')} in ${baseline} of other scenarios or targets ${foreign.length === 1 ? 'is' : 'are'} ignored: ${listFirst(named, mostNamed)}.`,
  ];
}

const nameOf = ({ scenario, target }: ResultFacts): string =>
  `${scenario.name} #${scenario.hash.slice(0, 8)}, ${target.embedded ? 'embedded service' : target.protocol}`;

/** The label of the first night of which every run is sound and like those of tonight, seed by seed. */
function firstNight(nights: readonly FileFacts[], tonight: readonly FileFacts[]): string | undefined {
  const wanted = kindOf(tonight);
  const others = nights.filter(
    ({ facts: { run } }) => isNight(run.label ?? '') && run.label !== tonight[0]?.facts.run.label,
  );
  const like = [...groupBy(others, ({ facts }) => facts.run.label ?? '')].filter(
    ([, runs]) => kindOf(runs) === wanted && runs.every(({ facts }) => shortcomingOf(facts, 'base') === undefined),
  );
  return like.map(([label]) => label).toSorted()[0];
}

const kindOf = (runs: readonly FileFacts[]): string =>
  JSON.stringify(runs.map(({ facts }) => [facts.scenario.seed, groupOf(facts)]).toSorted(bySeed));

const bySeed = ([one]: readonly unknown[], [other]: readonly unknown[]): number => Number(one) - Number(other);
