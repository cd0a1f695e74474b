import { total, weightedTotal, type Counters } from '../../record/counters.ts';
import { prefixSources } from '../../record/model-counters.ts';
import { positions } from '../../record/positions.ts';
import { sumOf } from '../../statistics/averages.ts';
import type { EquationSides } from './equation.ts';

/** Equations of the model calls behind the agent, besides their histograms; without a model service all sides are 0. */
export function modelEquations(counters: Counters): EquationSides {
  const { turns, attempts, modelCalls: calls, modelAttempts, modelOutcomes, modelApis } = counters;
  const { modelCallsPerTurn, modelParallel, modelTurns } = counters;
  const okTurns = total(modelCallsPerTurn);
  return {
    'model calls = traced + matched + created + unattributed': [
      calls.calls,
      calls.traced + calls.matched + calls.created + calls.unattributed,
    ],
    'model calls = sum over outcomes': [calls.calls, total(modelOutcomes)],
    'model calls = sum over routes': [calls.calls, total(modelApis)],
    'attempts with model calls = sum over durations': [modelAttempts.withCalls, attemptsByDuration(counters)],
    'attempts with model calls = sum over numbers of open calls': [modelAttempts.withCalls, total(modelParallel)],
    'attempts with and without model calls ≤ attempts that were not aborted': [
      modelAttempts.withCalls + modelAttempts.noCall,
      total(attempts) - attempts.aborted,
    ],
    'turns by number of model calls ≤ ok turns': [okTurns, turns.ok],
    'turns by number of model calls = sum over positions': [okTurns, sumOverPositions(counters, 'turns')],
    'model calls of ok turns = sum over turns': [calls.okTurnCalls, weightedTotal(modelCallsPerTurn)],
    'model calls of ok turns = sum over positions': [calls.okTurnCalls, sumOverPositions(counters, 'calls')],
    'model calls of ok turns ≤ model calls': [calls.okTurnCalls, calls.calls],
    'needed model calls ≤ model calls of ok turns': [calls.neededCalls, calls.okTurnCalls],
    'turns by fault, calls and duration ≤ turns by number of model calls': [total(modelTurns), okTurns],
    'repeated and duplicate model calls ≤ model calls': [calls.repeats + calls.duplicates, calls.calls],
    'orphaned model calls ≤ model calls': [calls.orphaned, calls.calls],
    'model calls after a reply ≤ model calls': [calls.afterReply, calls.calls],
    'answers delivered ≤ answers checked': [calls.answersDelivered, calls.answersChecked],
    'answers checked ≤ turns by number of model calls': [calls.answersChecked, okTurns],
    'turns with foreign words ≤ turns by number of model calls': [calls.foreignWords, okTurns],
    ...faultEquations(counters),
    ...tokenEquations(counters),
    ...spendingEquations(counters),
  };
}

type PositionCount = 'turns' | 'calls' | 'inputTokens' | 'outputTokens' | 'cachedTokens';

const sumOverPositions = ({ modelPositions }: Counters, name: PositionCount): number =>
  sumOf(positions.map((position) => modelPositions[`${position}.${name}`]));

const sumOfNames = (counts: Readonly<Record<string, number>>, isWanted: (name: string) => boolean): number =>
  sumOf(Object.entries(counts).flatMap(([name, count]) => (isWanted(name) ? [count] : [])));

const attemptsByDuration = ({ modelParts }: Counters): number =>
  sumOfNames(modelParts, (name) => name.endsWith('.attempts'));

/** A turn hit by a fault may also be cut at the end of the run. */
function faultEquations({ modelFaults, modelCalls, turnFlow }: Counters): EquationSides {
  const turnsHit = sumOfNames(modelFaults, (name) => name.endsWith('.turns'));
  return {
    'model calls by fault ≤ model calls': [
      sumOfNames(modelFaults, (name) => name.endsWith('.calls')),
      modelCalls.calls,
    ],
    'turns hit by a fault ≤ turns sent': [turnsHit, turnFlow.sent],
    'turns hit by a fault, by end ≤ turns hit by a fault': [
      sumOfNames(modelFaults, (name) => /\.(okAtOnce|okAfterRetry|abandoned|failed\..+)$/.test(name)),
      turnsHit,
    ],
  };
}

function tokenEquations(counters: Counters): EquationSides {
  const { modelTokens: tokens, modelCalls: calls } = counters;
  return {
    'input tokens of ok turns of the model ≤ its input tokens': [
      sumOverPositions(counters, 'inputTokens'),
      tokens.input,
    ],
    'output tokens of ok turns of the model ≤ its output tokens': [
      sumOverPositions(counters, 'outputTokens'),
      tokens.output,
    ],
    'cached tokens of ok turns of the model ≤ its cached tokens': [
      sumOverPositions(counters, 'cachedTokens'),
      tokens.cachedInput,
    ],
    'input of model calls that report cached tokens ≤ input tokens': [tokens.cacheable, tokens.input],
    'model calls with usage ≤ model calls': [tokens.reported, calls.calls],
    'shared input of model calls ≤ input': [
      sumOf(prefixSources.map((name) => tokens[`shared.${name}`])),
      tokens.inputBytes,
    ],
    'output tokens of orphaned model calls ≤ output tokens': [calls.orphanedTokens, tokens.output],
    'output tokens of model calls after a reply ≤ output tokens': [calls.afterReplyTokens, tokens.output],
  };
}

function spendingEquations({ modelSpending, modelCalls, modelUnpriced, modelSubstituted }: Counters): EquationSides {
  const { costNanos, unknownCalls, ...parts } = modelSpending;
  return {
    ...Object.fromEntries(
      Object.entries(parts).map(([name, nanos]) => [
        `${name.replace('Nanos', '')} cost of model calls ≤ their cost`,
        [nanos, costNanos] as const,
      ]),
    ),
    'model calls of unknown cost ≤ model calls': [unknownCalls, modelCalls.calls],
    'calls of models without a price ≤ model calls of unknown cost': [total(modelUnpriced), unknownCalls],
    'calls priced as the requested model ≤ model calls': [total(modelSubstituted), modelCalls.calls],
  };
}
