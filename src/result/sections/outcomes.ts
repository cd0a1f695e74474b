import { z } from 'zod';
import {
  attemptClassNames,
  finishedClassNames,
  traitsOf,
  turnClassNames,
  type OutcomeGroup,
} from '../../protocol/outcome.ts';
import { count, countsBy } from '../../base/field.ts';
import { failedTurns } from '../../record/counters.ts';
import type { Figures } from './figures.ts';
import { buildUnanswered, unansweredSchema } from './unanswered.ts';

const groupNames = [...new Set(finishedClassNames.map((name) => traitsOf(name).group))];

export const outcomesSchema = z.object({
  attempts: countsBy(attemptClassNames, 'Attempts of turns by class'),
  createAttempts: countsBy(attemptClassNames, 'Attempts to create a session by class'),
  turns: countsBy(turnClassNames, 'Turns by class, including those never sent'),
  groups: z
    .record(
      z.enum(groupNames as [OutcomeGroup, ...OutcomeGroup[]]),
      z.object({ attempts: count('Attempts of turns'), turns: count('Turns') }),
    )
    .describe('Classes by group; what was aborted or never sent is in none'),
  stale: count('Attempts of turns lost on a kept connection before any byte of a response: the server was closing it'),
  createStale: count('Attempts to create a session lost in the same way'),
  unanswered: unansweredSchema,
});
export type Outcomes = z.infer<typeof outcomesSchema>;

export function buildOutcomes(figures: Figures): Outcomes {
  const { attempts, createAttempts, turns, exchanges } = figures.counters;
  return {
    attempts: { ...attempts },
    createAttempts: { ...createAttempts },
    turns: { ...turns },
    groups: Object.fromEntries(
      groupNames.map((group) => [group, { attempts: sumOfGroup(group, attempts), turns: sumOfGroup(group, turns) }]),
    ) as Outcomes['groups'],
    stale: exchanges.stale,
    createStale: exchanges.createStale,
    unanswered: buildUnanswered(figures, turns.ok + failedTurns(turns)),
  };
}

const sumOfGroup = (group: OutcomeGroup, counts: Outcomes['attempts'] | Outcomes['turns']): number =>
  finishedClassNames.reduce((sum, name) => sum + (traitsOf(name).group === group ? counts[name] : 0), 0);
