import { ChatLoadError } from '../../base/errors.ts';
import type { Objective } from '../../capacity/objectives/objective.ts';
import { readObjectives } from '../../capacity/objectives/read-objectives.ts';
import type { Plan } from '../../plan/plan.ts';

/** What has to hold, and which gates of the scenario say nothing of it. */
export interface ChosenObjectives {
  objectives: readonly Objective[];
  /** Gates of the scenario that are no objectives, each with the reason. */
  leftOut: readonly string[];
}

/** The objectives that were given, else the gates of the scenario that can be such. Throws a usage error where there is none, or one cannot be judged. */
export function chooseObjectives(given: readonly string[], plan: Pick<Plan, 'gates' | 'options'>): ChosenObjectives {
  if (given.length > 0) {
    const read = readObjectives(given);
    if (!('objectives' in read)) throw refused(read.problems);
    return { objectives: read.objectives, leftOut: [] };
  }
  const gates = Object.entries(plan.gates)
    .filter(([metric, condition]) => !(metric === 'turns.ok' && condition === everyRunHas))
    .map(([metric, condition]) => readObjectives([`${metric} ${condition}`]));
  const objectives = gates.flatMap((read) => ('objectives' in read ? read.objectives : []));
  const leftOut = gates.flatMap((read) => ('objectives' in read ? [] : read.problems));
  if (objectives.length === 0) throw missing(leftOut);
  return { objectives, leftOut };
}

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
