import { join } from 'node:path';
import { listFirst } from '../../base/format.ts';
import { shortcomingOf } from '../../compare/comparability/run-requirements.ts';
import { readFolderFacts } from '../../edge/disk/read-result.ts';
import type { Baseline, NightPlaces } from './choose-baseline.ts';

const mostNamed = 3;

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
        `Do not copy this night there: comparisons would refuse ${listFirst(refused, mostNamed)}.`,
        'Change what is named there, run the job again, and copy a night of which every run is valid.',
      ];
}

/** The ways out if tonight cannot be compared with the baseline: for tonight, and for the nights to come. */
export function adviseRefused({ label, results, baseline }: NightPlaces, { sources, from }: Baseline): string[] {
  const all = `--base ${sources.join(' ')} --head label:${label} --in ${results}`;
  const kept = ` One in ${baseline} is refused every night: replace the baseline by a night of which every run is valid.`;
  return [
    `A run of tonight that was refused concerns this night only.${from === 'kept' ? kept : ''}`,
    `To compare tonight: chat-load compare --base FILES --head FILES without the runs to leave out, or chat-load compare ${all} --force.`,
  ];
}
