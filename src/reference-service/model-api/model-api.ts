import { randomUUID } from 'node:crypto';
import { errorIn, type BreakBody } from '../exchange/apply-fault.ts';
import type { Delivery } from '../http/delivery.ts';
import type { Asked, MadeReply } from './make-reply.ts';
import { classOfStatus, type ServiceClass } from '../books/service-class.ts';
import type { FaultEffect } from '../../scenario/embedded-faults.ts';

/** How the service speaks the API of a language model: what it reads, and how it words replies and errors. */
export interface ModelApi {
  /** What the ids of its replies begin with. */
  readonly idPrefix: string;
  /** Whether a last line that a fault can leave out ends its streams. */
  readonly hasDone: boolean;
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

/** Words a problem as the API does, and counts it as its client will. */
export function refusal(api: ModelApi, problem: Problem, retryAfter?: string): Delivery {
  return { outcome: classOfProblem(problem), status: problem.status, body: api.error(problem), retryAfter };
}

/** One reply in pieces, as its API words it: each text is one event. Called in the order in which events are sent. */
export interface Telling {
  /** Before anything is generated. */
  opening(): string[];
  /** A piece of reasoning. */
  reasoning(piece: string): string;
  /** Ends the reasoning, if there is any, and begins the answer. */
  turning(): string[];
  /** A piece of the answer, or of the arguments of a call. */
  answer(piece: string): string;
  /** The end of the answer and of the reply. */
  closing(): string[];
  /** An error in place of all the rest. */
  failing(problem: Problem): string[];
}

/** An event that has a type. */
export function typedEvent(type: string, data: string): string {
  return `event: ${type}\ndata: ${data}\n\n`;
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

type ProblemCode = 'model_not_found' | 'previous_response_not_found' | 'insufficient_quota';

export function isProblem(read: object): read is Problem {
  return 'status' in read;
}

/** By status, but that an unknown model is an unknown agent, and that waiting brings no quota back. */
export function classOfProblem({ status, code }: Problem): ServiceClass {
  if (code === 'model_not_found') return 'agent_not_found';
  if (code === 'insufficient_quota') return 'forbidden';
  return classOfStatus(status);
}

/** An answer with an error of chat-messaging, as another API words it; the end of a connection as it is. */
export function worded(api: ModelApi, { status, body, retryAfter, ...delivery }: Delivery): Delivery {
  if (status === 0) return { ...delivery, status, body, retryAfter };
  return refusal(api, { status, message: errorIn(body) ?? `Status ${String(status)}` }, retryAfter);
}

/** The same for what a fault does in place of work; a body that the fault brings is sent as it is. */
export function wordedFault(api: ModelApi, effect: FaultEffect | undefined, early: Delivery): Delivery {
  return effect?.does === 'answer' && effect.body !== null ? early : worded(api, early);
}

/** Breaks the contract of an API: JSON that is no object, or, for every other way, an object without this member. */
export function breakingAt(member: string): BreakBody {
  return (breaks, _operation, body) => {
    if (breaks === 'not_object') return [true];
    const entries = Object.entries(JSON.parse(body) as Record<string, unknown>);
    return Object.fromEntries(entries.filter(([key]) => key !== member));
  };
}

/** An id that nothing else has: 32 hexadecimal digits after the prefix. */
export function newId(prefix: string): string {
  return prefix + randomUUID().replaceAll('-', '');
}
