import type { SaidItem } from '../conversation/transcript.ts';

/** A request for a reply, whatever API it came by. */
export interface Asked {
  /** The agent's id. */
  model: string;
  isStreamed: boolean;
  /** In place of the agent's own instructions; `undefined`: none came. */
  instructions: string | undefined;
  /** What the request itself holds of the conversation, the message included. */
  said: readonly SaidItem[];
  /** The most pieces that the reply may have. */
  maxPieces: number;
  /** Whether the agent may call tools. */
  hasTools: boolean;
  /** Whether the last event of a streamed reply tells the usage, where an API leaves that to the client. */
  includesUsage: boolean;
  /** The conversation that the service keeps; `undefined`: the request holds all of it. */
  kept: KeptAt | undefined;
}

/** Where the service finds what was said before: after a response, in a conversation, or nowhere yet. */
export interface KeptAt {
  responseId: string | undefined;
  conversationId: string | undefined;
  /** Whether this turn is to be remembered. */
  isStored: boolean;
}
