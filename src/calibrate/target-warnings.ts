import { advise } from '../base/purposes.ts';
import type { Plan } from '../plan/plan.ts';
import { type AttemptClass, finishedClassNames } from '../protocol/outcome.ts';
import { targetRemedy } from '../result/sections/run-facts.ts';
import type { Warning } from '../result/sections/warning.ts';
import type { CeilingStep, TargetCeiling } from './target-ceiling.ts';

/** Findings of a measurement besides its figures. */
export interface Findings {
  steps: readonly CeilingStep[];
  ceiling: TargetCeiling | undefined;
  /** Reason why a session could not be created. */
  refused: { outcome: AttemptClass; detail: string } | undefined;
  /** True if the target closed its connections. */
  isUnsteady: boolean;
}

/** With fewer answers per connection, a rate is not meaningful. */
const enoughAnswers = 4;

/** Returns the caveats of the figures. */
export function targetWarnings({ steps, ceiling, refused, isUnsteady }: Findings, target: Plan['target']): Warning[] {
  return [
    ...(isUnsteady ? [closedWarning()] : []),
    ...refusedWarning({ refused, steps }, target),
    ...failureWarning(steps, target),
    ...(ceiling === undefined ? noAnswerWarning(steps) : fewAnswersWarning(steps, ceiling)),
  ];
}

const closedWarning = (): Warning => ({
  code: 'connections_closed',
  message:
    'The target closed its connections, or refused them; autocannon reconnects silently and sends more than configured, so no further step was taken.',
  remedy: `Find out why the target closes connections${advise('highest_load', (command) => `; ${command} measures such targets as a run does`)}.`,
});

/** Warns of rejected sessions; if none was created, the maximum number of concurrent sessions does not matter. */
function refusedWarning({ refused, steps }: Pick<Findings, 'refused' | 'steps'>, { auth }: Plan['target']): Warning[] {
  if (refused === undefined || refused.outcome === 'aborted') return [];
  return warning(
    'sessions_refused',
    `A session could not be created (${refused.outcome}: ${refused.detail}), so no step with more connections was taken.`,
    steps.length === 0
      ? targetRemedy({ operation: 'create', outcome: refused.outcome, auth })
      : 'Check target.createSession, and how many sessions the service allows at once.',
  );
}

function failureWarning(steps: readonly CeilingStep[], { auth }: Plan['target']): Warning[] {
  const first = steps.find(({ example }) => example !== null);
  if (first === undefined) return [];
  const { connections, example } = first;
  return warning(
    'turns_failed',
    `Turns failed from ${String(connections)} ${connections === 1 ? 'connection' : 'connections'} on: ${String(example)}.`,
    remedyOfNone(steps, auth) ?? 'Rates count only ok turns.',
  );
}

/** Returns the remedy for the most frequent failure if no turn was ok. */
function remedyOfNone(steps: readonly CeilingStep[], auth: string): string | undefined {
  if (steps.some(({ ok }) => ok > 0)) return undefined;
  const counts = steps.flatMap(({ classes }) => Object.entries(classes));
  const [top] = counts.toSorted(([, a], [, b]) => b - a);
  const outcome = finishedClassNames.find((name) => name === top?.[0]);
  return outcome === undefined ? undefined : targetRemedy({ operation: 'message', outcome, auth });
}

const longerSteps = 'Raise --step-duration to several times the reply time.';

const noAnswerWarning = (steps: readonly CeilingStep[]): Warning[] =>
  steps.length > 0 && steps.every(({ classes }) => Object.keys(classes).length === 0)
    ? warning('no_answer', 'No turn was answered during a step.', longerSteps)
    : [];

function fewAnswersWarning(steps: readonly CeilingStep[], { turnsPerSecond }: TargetCeiling): Warning[] {
  const best = steps.find((step) => step.turnsPerSecond === turnsPerSecond);
  if (best === undefined || best.ok >= enoughAnswers * best.connections) return [];
  return warning(
    'few_answers',
    `Only ${String(best.ok)} turns were answered on ${String(best.connections)} connections in a step: the rates are approximate.`,
    longerSteps,
  );
}

const warning = (code: string, message: string, remedy: string): Warning[] => [{ code, message, remedy }];
