import { ChatLoadError } from '../../base/errors.ts';
import { type Objective, readObjectives, withGuards } from '../../capacity/objectives/objective.ts';
import { seriesTable } from '../../record/series-table.ts';
import type { Plan } from '../../plan/plan.ts';

/** What has to hold, and which gates of the scenario say nothing of it. */
export interface ChosenObjectives {
  objectives: readonly Objective[];
  /** Gates of the scenario that are no objectives, each with the reason. */
  leftOut: readonly string[];
}

/** The objectives that were given, else the gates of the scenario that can be such. Throws a usage error where there is none, or one cannot be judged. */
export function chooseObjectives(given: readonly string[], plan: Pick<Plan, 'gates' | 'target'>): ChosenObjectives {
  if (given.length > 0) {
    const read = readObjectives(given);
    if (!('objectives' in read)) throw refused(read.problems);
    const unseen = plan.target.stream ? [] : read.objectives.filter(isOfPieces);
    if (unseen.length > 0) throw refused(unseen.map(needsStream));
    return { objectives: withGuards(read.objectives), leftOut: [] };
  }
  const gates = Object.entries(plan.gates)
    .filter(([metric, condition]) => !(metric === 'turns.ok' && condition === everyRunHas))
    .map(([metric, condition]) => readObjectives([`${metric} ${condition}`]));
  const objectives = gates.flatMap((read) => ('objectives' in read ? read.objectives : []));
  const leftOut = gates.flatMap((read) => ('objectives' in read ? [] : read.problems));
  if (objectives.length === 0) throw missing(leftOut);
  return { objectives: withGuards(objectives), leftOut };
}

const ofPieces: ReadonlySet<string> = new Set(
  seriesTable.flatMap(({ name, isOfStreams }) => (isOfStreams ? [name] : [])),
);
const isOfPieces = ({ series }: Objective): boolean => series.some((name) => ofPieces.has(name.split('.')[0] ?? name));
const needsStream = ({ metric, condition }: Objective): string =>
  `'${metric} ${condition}': ${metric} is of replies in pieces, and the scenario asks for none (target.stream, --stream)`;

/** The gate of a scenario that has none on turns that were ok. */
const everyRunHas = '>= 1';

const refused = (problems: readonly string[]): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `the objectives cannot be judged:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    hint: `Nothing was sent. ${example}`,
  });

const missing = (leftOut: readonly string[]): ChatLoadError =>
  new ChatLoadError('usage', {
    message: [
      'nothing says what has to hold under the load: there is no --objective, and no gate of the scenario can be one',
      ...leftOut.map((problem) => `  ${problem}`),
    ].join('\n'),
    hint: `Nothing was sent. ${example}`,
  });

const example =
  "Such as --objective 'turn.p95 < 2s' --objective 'turns.failedShare < 1%'; docs/capacity.md says which metrics can be limited.";
