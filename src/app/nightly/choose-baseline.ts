import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../../base/group-by.ts';
import { countOf, listFirst } from '../../base/format.ts';
import { shortcomingOf } from '../../compare/comparability/run-requirements.ts';
import { groupOf, isNight, type ResultFacts } from '../../compare/document/group-of.ts';
import { readFolderFacts } from '../../edge/disk/read-result.ts';

interface NightPlaces {
  label: string;
  results: string;
  baseline: string;
}

interface Baseline {
  /** Sources of results for `compare --base`. */
  sources: readonly string[];
  /** `kept`: stored by the user; `night`: the first night, if nothing is stored. */
  from: 'kept' | 'night';
}

const maxListed = 3;

/**
 * Chooses the baseline of a night: the stored one, without results of other scenarios and targets; if there is none, the
 * first comparable night. `notes` explain the choice.
 */
export function chooseBaseline(places: NightPlaces): { baseline: Baseline | undefined; notes: string[] } {
  const { taken: nights, skipped } = readFacts(places.results);
  const tonight = nights.filter(({ facts }) => facts.run.label === places.label);
  const [one] = tonight;
  const { sources, foreign } = keptSources(places.baseline, one?.facts);
  if (sources.length > 0) return { baseline: { sources, from: 'kept' }, notes: noteOf(foreign, places) };
  const none = [...noteOf(foreign, places), `No baseline in ${places.baseline} yet.`];
  const { first, passedOver } = firstNight(nights, tonight);
  const unread = skipped.map(({ file, problem }) => `${join(places.results, file)} is ignored: it ${problem}.`);
  const others = [...passedOver.map(({ label, why }) => `${label} is skipped: ${why}.`), ...unread];
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

/** Lists the sources of a stored baseline. Damaged files are included, because the comparison names them. */
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

/** Returns the subject of a measurement: the hash of the scenario, and the kind of the target. */
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

/** Returns the label of the first night whose runs are all valid and match tonight's runs seed by seed, and the skipped nights before it. */
function firstNight(
  nights: readonly FileFacts[],
  tonight: readonly FileFacts[],
): { first: string | undefined; passedOver: { label: string; why: string }[] } {
  const others = nights.filter(
    ({ facts: { run } }) => isNight(run.label ?? '') && run.label !== tonight[0]?.facts.run.label,
  );
  const passedOver: { label: string; why: string }[] = [];
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
  if (one === undefined || own === undefined) return 'no runs remain to compare';
  if (kindOf(runs) !== kindOf(tonight)) {
    const [group, ownGroup] = [groupOf(one), groupOf(own)];
    if (subjectOf(one) !== subjectOf(own)) return `it has another scenario or target (${nameOf(one)})`;
    if (group.machineClass !== ownGroup.machineClass)
      return `it was run on another kind of machine (${group.machineClass}; tonight ${ownGroup.machineClass})`;
    if (group.loadHash !== ownGroup.loadHash) return 'its load or the profile of its service differs';
    return `its runs have other seeds, or their number differs (${String(runs.length)}; tonight ${String(tonight.length)})`;
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

/** Explains how to store a night as the baseline, or what to do if later comparisons would reject one of its runs. */
export function adviseBaseline({ label, results }: NightPlaces): string[] {
  const refused = readFacts(results)
    .taken.filter(({ facts }) => facts.run.label === label)
    .flatMap(({ file, facts }) => {
      const shortcoming = shortcomingOf(facts, 'base');
      return shortcoming === undefined ? [] : [`${file} (${shortcoming})`];
    });
  return refused.length === 0
    ? [
        'Until there is one, later nights are compared with the first comparable night.',
        `To compare all of them with this night, copy ${join(results, `*-${label}*.json`)} there.`,
      ]
    : [
        `Do not copy this night there: comparisons would refuse ${listFirst(refused, maxListed)}.`,
        'Fix these problems, run the job again, and copy a night with only valid runs.',
      ];
}

/** Explains what to do if tonight is not comparable with the baseline: tonight, and in later nights. */
export function adviseRefused({ label, results, baseline }: NightPlaces, { sources, from }: Baseline): string[] {
  const all = `--base ${sources.join(' ')} --head label:${label} --results ${results}`;
  const kept = ` A run in ${baseline} that was refused is refused every night: replace the baseline with a night of only valid runs.`;
  return [
    `If a run of tonight was refused, only tonight's comparison is affected.${from === 'kept' ? kept : ''}`,
    `To compare tonight: chat-load compare --base FILES --head FILES without the refused runs, or chat-load compare ${all} --force.`,
  ];
}
