import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../../base/group-by.ts';
import { countOf, listFirst } from '../../base/format.ts';
import { shortcomingOf } from '../../compare/comparability/run-requirements.ts';
import { groupOf, isNight, type ResultFacts } from '../../compare/document/group-of.ts';
import { readFolderFacts } from '../../edge/disk/read-result.ts';

/** A night, and the folders that its results and the baseline are in. */
interface NightPlaces {
  label: string;
  results: string;
  baseline: string;
}

/** What a night is compared with. */
interface Baseline {
  /** Names of results, as `compare --base` takes them. */
  sources: readonly string[];
  /** `kept`: what the user keeps as the baseline; `night`: the first night, as long as nothing is kept. */
  from: 'kept' | 'night';
}

const maxListed = 3;

/**
 * Chooses the baseline of a night: the kept one, without results of other scenarios and targets; if nothing is kept,
 * the first night that can be compared with this one. `notes` tell the user about the choice.
 */
export function chooseBaseline(places: NightPlaces): { baseline: Baseline | undefined; notes: string[] } {
  const { taken: nights, skipped } = readFacts(places.results);
  const tonight = nights.filter(({ facts }) => facts.run.label === places.label);
  const [one] = tonight;
  const { sources, foreign } = keptSources(places.baseline, one?.facts);
  if (sources.length > 0) return { baseline: { sources, from: 'kept' }, notes: noteOf(foreign, places) };
  const none = [...noteOf(foreign, places), `There is no baseline in ${places.baseline} yet.`];
  const { first, passedOver } = firstNight(nights, tonight);
  const unread = skipped.map(({ file, problem }) => `${join(places.results, file)} is ignored: it ${problem}.`);
  const others = [...passedOver.map(({ label, why }) => `${label} is passed over: ${why}.`), ...unread];
  const left = others.length - maxListed;
  const count = left > 0 ? [`${countOf(left, 'more night or file', 'more nights or files')} cannot be used.`] : [];
  none.push(...others.slice(0, maxListed), ...count);
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

const readFacts = (folder: string): ReturnType<typeof readFolderFacts<FileFacts>> =>
  readFolderFacts({ folder }, (file, facts) => ({ file: join(folder, file), facts }));

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
    `${countOf(foreign.length, 'result')} in ${baseline} of other scenarios or targets ${foreign.length === 1 ? 'is' : 'are'} ignored: ${listFirst(named, maxListed)}.`,
  ];
}

const nameOf = ({ scenario, target }: ResultFacts): string =>
  `${scenario.name} #${scenario.hash.slice(0, 8)}, ${target.embedded ? 'embedded service' : target.protocol}`;

/** An earlier night that tonight is not compared with, and why. */
interface PassedOver {
  label: string;
  why: string;
}

/** The label of the first night of which every run is sound and like those of tonight, seed by seed; and those before it. */
function firstNight(
  nights: readonly FileFacts[],
  tonight: readonly FileFacts[],
): { first: string | undefined; passedOver: PassedOver[] } {
  const others = nights.filter(
    ({ facts: { run } }) => isNight(run.label ?? '') && run.label !== tonight[0]?.facts.run.label,
  );
  const passedOver: PassedOver[] = [];
  const byLabel = [...groupBy(others, ({ facts }) => facts.run.label ?? '')];
  for (const [label, runs] of byLabel.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const why = unlike(runs, tonight);
    if (why === undefined) return { first: label, passedOver };
    passedOver.push({ label, why });
  }
  return { first: undefined, passedOver };
}

/** Returns why a night and tonight are not comparable, or `undefined` if they are. */
function unlike(runs: readonly FileFacts[], tonight: readonly FileFacts[]): string | undefined {
  const [one, own] = [runs[0]?.facts, tonight[0]?.facts];
  if (one === undefined || own === undefined) return 'there are no runs to compare';
  if (kindOf(runs) !== kindOf(tonight)) {
    const [group, ownGroup] = [groupOf(one), groupOf(own)];
    if (subjectOf(one) !== subjectOf(own)) return `it is of another scenario or target (${nameOf(one)})`;
    if (group.machineClass !== ownGroup.machineClass)
      return `it was run on another kind of machine (${group.machineClass}; tonight ${ownGroup.machineClass})`;
    if (group.loadHash !== ownGroup.loadHash) return 'its load, or the profile of its service, is not the same';
    return `its runs are of other seeds, or there are not as many (${String(runs.length)}; tonight ${String(tonight.length)})`;
  }
  for (const { file, facts } of runs) {
    const shortcoming = shortcomingOf(facts, 'base');
    if (shortcoming !== undefined) return `${file} is ${shortcoming}`;
  }
  return undefined;
}

const kindOf = (runs: readonly FileFacts[]): string =>
  JSON.stringify(runs.map(({ facts }) => [facts.scenario.seed, groupOf(facts)]).toSorted(bySeed));

const bySeed = ([one]: readonly unknown[], [other]: readonly unknown[]): number => Number(one) - Number(other);

/** How to keep a night as the baseline, or what to do instead where a later comparison would refuse one of its runs. */
export function adviseBaseline({ label, results }: NightPlaces): string[] {
  const { taken } = readFolderFacts({ folder: results }, (file, facts) => ({ file: join(results, file), facts }));
  const refused = taken
    .filter(({ facts }) => facts.run.label === label)
    .flatMap(({ file, facts }) => {
      const shortcoming = shortcomingOf(facts, 'base');
      return shortcoming === undefined ? [] : [`${file} (${shortcoming})`];
    });
  return refused.length === 0
    ? [
        'Until there is one, later nights are compared with the first night that they are like.',
        `To compare all of them with this one, copy ${join(results, `*-${label}*.json`)} there.`,
      ]
    : [
        `Do not copy this night there: comparisons would refuse ${listFirst(refused, maxListed)}.`,
        'Change what is named there, run the job again, and copy a night of which every run is valid.',
      ];
}

/** The ways out if tonight cannot be compared with the baseline: for tonight, and for the nights to come. */
export function adviseRefused({ label, results, baseline }: NightPlaces, { sources, from }: Baseline): string[] {
  const all = `--base ${sources.join(' ')} --head label:${label} --results ${results}`;
  const kept = ` One in ${baseline} is refused every night: replace the baseline by a night of which every run is valid.`;
  return [
    `A run of tonight that was refused concerns this night only.${from === 'kept' ? kept : ''}`,
    `To compare tonight: chat-load compare --base FILES --head FILES without the runs to leave out, or chat-load compare ${all} --force.`,
  ];
}
