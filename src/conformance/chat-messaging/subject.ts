import type { ChatRequest } from '../../protocol/protocol.ts';
import type { Words } from '../words.ts';

/** The service under check: how to talk to it, and what it takes to try the rules that need something. */
export interface Subject {
  agentId: string;
  /** The request that creates a session with an agent. */
  creation: (agentId: string) => ChatRequest;
  /** Where the session id is found in the reply, as a dotted path. */
  sessionIdFrom: string;
  /** An agent of the account with chat turned off. */
  chatOffAgentId: string | undefined;
  hasWrongKindKey: boolean;
  /** Requests carry nothing that authorizes. */
  isOpen?: boolean;
  /** A variable that the agent's instructions reference, with a telling value. */
  variable: { name: string; value: string } | undefined;
  /** What every message brings as `variableValues`, unless a rule says otherwise. */
  values: Readonly<Record<string, unknown>>;
  words: Words;
  /** Returns a new word: letters and digits only. */
  newCode: () => string;
}
