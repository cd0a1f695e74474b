import { traitsOf, type FinishedClass } from '../../protocol/outcome.ts';
import type { Operation } from '../../protocol/protocol.ts';
import { keyRemedy } from '../../protocol/refused-key.ts';

/** What a person can do about a target that answered like this. */
export function targetRemedy(operation: Operation, outcome: FinishedClass): string {
  if (outcome === 'contract_broken')
    return `Its replies are not those of the chat API${operation === 'create' ? idPlaces : ''}: ${testIt}`;
  const known = remedies[outcome];
  if (known !== undefined) return known;
  if (traitsOf(outcome).retriedByDefault) return 'Check whether the service is up and answers within the timeout.';
  const places = operation === 'create' ? 'and target.createSession.path lead' : 'leads';
  return `Check whether the base URL ${places} to the chat API: ${testIt}`;
}

const idPlaces =
  ', or the id of a session is elsewhere in them (target.createSession.sessionIdFrom, or createSession.sessionId of defineProtocol)';

const testIt =
  '`chat-load check` tests it rule by rule. Of a protocol of defineProtocol, which has no rules there, compare its definition with the examples of the result.';

const remedies: Readonly<Partial<Record<FinishedClass, string>>> = {
  unauthorized: keyRemedy,
  forbidden: keyRemedy,
  agent_not_found: 'Check whether the agent (--agent-id or target.agentId) belongs to the account of this key.',
  chat_disabled: 'Switch chat on for this agent, or name another with --agent-id.',
  missing_fields: `The service reports a field as missing that was sent: ${testIt}`,
  check_failed: 'See the example: the reply broke a check of the scenario or of the integrity guard.',
};
