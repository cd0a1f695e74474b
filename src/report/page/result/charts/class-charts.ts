import { attemptClassNames, traitsOf, type AttemptClass, type OutcomeGroup } from '../../../../protocol/outcome.ts';
import type { Block, Tone } from '../../page.ts';
import { linesOverTime, stackOverTime } from '../shown/blocks.ts';
import type { ShownRun } from '../shown/shown-run.ts';
import { classColumn, type Classed } from '../time/count-columns.ts';

/** What became of turns, of their attempts and of attempts to create a session, by class. */
export function classCharts(runs: readonly ShownRun[]): readonly Block[] {
  return [
    ...stackOverTime(
      runs,
      {
        id: 'turn-outcomes',
        title: 'Turns by outcome',
        description: 'Turns that ended, by their class, ok at the bottom. Turns that were never sent are in none.',
        unit: 'perSecond',
      },
      linesOf('turns'),
    ),
    ...stackOverTime(
      runs,
      {
        id: 'attempt-outcomes',
        title: 'Attempts of turns by outcome',
        description: 'Each exchange with the service by its class: what retries hide from the turns shows here.',
        unit: 'perSecond',
      },
      linesOf('attempts'),
    ),
    ...stackOverTime(
      runs.filter(({ result }) => wereCreationsRefused(result.outcomes.createAttempts)),
      {
        id: 'creation-outcomes',
        title: 'Attempts to create a session by outcome',
        description: 'Each attempt to create a session by its class.',
        unit: 'perSecond',
      },
      linesOf('createAttempts'),
    ),
    ...linesOverTime(
      runs,
      {
        id: 'broken-replies',
        title: 'Replies that broke a check',
        description: 'Replies that broke a check of the integrity guard, by when they had come.',
        unit: 'perSecond',
      },
      [{ column: 'brokenRepliesPerSecond', label: 'broke a check', tone: 'integrity' }],
    ),
  ];
}

const wereCreationsRefused = (counts: Readonly<Record<AttemptClass, number>>): boolean =>
  attemptClassNames.some((name) => name !== 'ok' && counts[name] > 0);

const linesOf = (of: Classed) =>
  attemptClassNames.map((name) => ({ column: classColumn[of](name), label: name, tone: toneOf(name) }));

/** Classes by what is to blame, as far as they say. */
const tones: Readonly<Record<OutcomeGroup, Tone>> = {
  ok: 'ok',
  '400': 'client',
  auth: 'client',
  '404': 'client',
  '429': 'rate_limited',
  '5xx': 'server',
  provider: 'provider',
  other: 'client',
  transport: 'network',
  contract: 'server',
  integrity: 'integrity',
};

const toneOf = (name: AttemptClass): Tone => (name === 'aborted' ? 'neutral' : tones[traitsOf(name).group]);
