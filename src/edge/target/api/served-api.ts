import type { BreakBody } from '../apply-fault.ts';
import type { Delivery } from '../delivery.ts';
import { classOfStatus } from '../service-class.ts';
import type { Telling } from '../stream/telling.ts';
import type { SaidItem } from './transcript.ts';
import type { MadeReply } from './make-reply.ts';

/** The APIs that the service speaks besides chat-messaging, in the order of its books. */
export const apiNames = ['openai-chat', 'openai-responses', 'anthropic-messages'] as const;
export type ApiName = (typeof apiNames)[number];

/** How the service speaks one API: what it reads, and how it words replies and errors. */
export interface ServedApi {
  readonly name: ApiName;
  /** Where messages are posted. */
  readonly path: string;
  /** What a body asks for, or what is wrong with it. */
  read(body: unknown): Asked | Problem;
  /** The body of an error. */
  error(problem: Problem): string;
  /** The body of a reply. */
  whole(reply: MadeReply): string;
  /** Whether its events have numbers, by which a client sees that one is missing. */
  readonly numbersEvents: boolean;
  /** A reply in pieces. */
  tell(reply: MadeReply): Telling;
  /** The body of a reply with the member gone that holds the text. */
  readonly broken: BreakBody;
}

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

/** Why there is no reply. */
export interface Problem {
  status: number;
  message: string;
  /** The field that is wrong. */
  param?: string;
  /** The model that does not exist. */
  model?: string;
  /** What programs know it by. */
  code?: ProblemCode;
}

export type ProblemCode = 'model_not_found' | 'previous_response_not_found' | 'insufficient_quota';

export function isProblem(read: object): read is Problem {
  return 'status' in read;
}

/** Words a problem as the API does, and counts it as its client will. */
export function refusal(api: ServedApi, problem: Problem, retryAfter?: string): Delivery {
  return { outcome: classOfProblem(problem), status: problem.status, body: api.error(problem), retryAfter };
}

/** By status, but that an unknown model is an unknown agent, and that waiting brings no quota back. */
export function classOfProblem({ status, code }: Problem): Delivery['outcome'] {
  if (code === 'model_not_found') return 'agent_not_found';
  if (code === 'insufficient_quota') return 'forbidden';
  return classOfStatus(status);
}
