import { traitsOf, type FinishedClass } from '../../protocol/outcome.ts';
import type { Operation } from '../../protocol/protocol.ts';
import { keyRemedy } from '../../protocol/refused-key.ts';

/** What a person can do about a target that answered like this. */
export function targetRemedy(operation: Operation, outcome: FinishedClass): string {
  const cause = targetCause(operation, outcome);
  return cause.endsWith('.') ? cause : `${cause}: ${tryIt}`;
}

/** What to check about such a target; without a full stop if only its requests and responses show more. */
export function targetCause(operation: Operation, outcome: FinishedClass): string {
  if (outcome === 'contract_broken')
    return `Its replies are not those of the chat API${operation === 'create' ? idPlaces : ''}`;
  const known = remedies[outcome];
  if (known !== undefined) return known;
  if (traitsOf(outcome).retriedByDefault) return 'Check whether the service is up and answers within the timeout.';
  const places = operation === 'create' ? 'and target.createSession.path lead' : 'leads';
  return `Check whether the base URL ${places} to the chat API`;
}

const idPlaces =
  ', or the id of a session is elsewhere in them (target.createSession.sessionIdFrom, or createSession.sessionId of defineProtocol)';

const tryIt =
  '`chat-load try`, with the same scenario or the same --url and --model, prints a conversation with it as sent and received, for a protocol of defineProtocol too, and finds the protocols that it speaks.';

const remedies: Readonly<Partial<Record<FinishedClass, string>>> = {
  unauthorized: keyRemedy,
  forbidden: keyRemedy,
  agent_not_found: 'Check whether the agent (--agent-id or target.agentId) belongs to the account of this key.',
  chat_disabled: 'Switch chat on for this agent, or name another with --agent-id.',
  missing_fields: 'The service reports a field as missing that was sent',
  check_failed: 'See the example: the reply broke a check of the scenario or of the integrity guard.',
};
