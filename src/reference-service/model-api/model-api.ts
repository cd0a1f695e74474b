import type { PathParams } from '../http/receive-body.ts';
import { randomUUID } from 'node:crypto';
import { errorIn, type BreakBody } from '../exchange/apply-fault.ts';
import type { Delivery } from '../http/delivery.ts';
import type { ReplyRequest, MadeReply } from './make-reply.ts';
import { type ServiceClass } from '../books/service-class.ts';
import { classOfStatus } from '../../protocol/classify-whole.ts';
import type { FaultEffect } from '../../scenario/embedded-faults.ts';

/** The API of a language model as the service speaks it: its requests, replies and errors. */
export interface ModelApi {
  /** Prefix of the ids of its replies. */
  readonly idPrefix: string;
  /** True if its streams end with a last line that a fault can omit. */
  readonly hasDone: boolean;
  /** Reads the body of a request, and the parts of its path. */
  read(body: unknown, params?: PathParams): ReplyRequest | Problem;
  /** Returns the body of an error. */
  error(problem: Problem): string;
  /** Returns the HTTP status of an error, if it differs from the problem's. */
  errorStatus?(problem: Problem): number;
  /** Returns the body of a reply that is not streamed. */
  whole(reply: MadeReply): string;
  /** True if its events have numbers, by which a client notices that one is missing. */
  readonly numbersEvents: boolean;
  /** Begins a streamed reply. */
  stream(reply: MadeReply): StreamSerializer;
  /** Events of a reply to another request, if clients can distinguish them. */
  foreign?(): string[];
  /** Omits the member with the text from the body of a reply. */
  readonly broken: BreakBody;
}

/** Serializes one streamed reply: each text is one event. Called in the order in which events are sent. */
export interface StreamSerializer {
  /** Before anything is generated. */
  opening(): string[];
  reasoning(token: string): string;
  /** Ends the reasoning, if any, and begins the answer. */
  turning(): string[];
  /** A token of the answer, or of the arguments of a call. */
  answer(token: string): string;
  /** Ends a call of a tool, and begins the next one. */
  next(): string[];
  /** The end of the answer and of the reply. */
  closing(): string[];
  /** An error in place of all the rest. */
  failing(problem: Problem): string[];
}

export function typedEvent(type: string, data: string): string {
  return `event: ${type}\ndata: ${data}\n\n`;
}

/** Returns a comment in the place of pings, which only a socket can send. */
export function pingEvent(count: number): string {
  return `: pings ${String(count)}\n\n`;
}

/** Reason of a missing reply. */
export interface Problem {
  status: number;
  message: string;
  /** Invalid field. */
  param?: string;
  /** Model that does not exist. */
  model?: string;
  /** Id of the request, if the error repeats it. */
  requestId?: unknown;
  code?: 'model_not_found' | 'previous_response_not_found' | 'insufficient_quota';
}

export function isProblem(read: object): read is Problem {
  return 'status' in read;
}

/** Returns the problem of a model that does not exist. */
export function modelNotFound(model: string): Problem {
  const message = `The model \`${model}\` does not exist or you do not have access to it.`;
  return { status: 404, message, model, code: 'model_not_found' };
}

/** Returns the class of the status; but an unknown model is an unknown agent, and waiting does not restore a quota. */
export function classOfProblem({ status, code }: Problem): ServiceClass {
  if (code === 'model_not_found') return 'agent_not_found';
  if (code === 'insufficient_quota') return 'forbidden';
  return classOfStatus(status);
}

/** Formats a problem as the API does; it is counted as its client will count it. */
export function refusal(api: ModelApi, problem: Problem, retryAfter?: string): Delivery {
  const status = api.errorStatus?.(problem) ?? problem.status;
  return { outcome: classOfProblem(problem), status, body: api.error(problem), retryAfter };
}

/** Converts an error of chat-messaging to the format of another API; the end of a connection is unchanged. */
export function convertError(api: ModelApi, delivery: Delivery): Delivery {
  const { status, body, retryAfter } = delivery;
  if (status === 0) return delivery;
  return refusal(api, { status, message: errorIn(body) ?? `Status ${String(status)}` }, retryAfter);
}

/** Converts the delivery of a fault that replaces the work; a body that the fault defines is unchanged. */
export function convertFault(api: ModelApi, effect: FaultEffect | undefined, early: Delivery): Delivery {
  return effect?.does === 'answer' && effect.body !== null ? early : convertError(api, early);
}

/** Breaks the contract of an API: JSON that is not an object, or, for every other way, an object without this member. */
export function breakingAt(member: string): BreakBody {
  return (breaks, _operation, body) =>
    breaks === 'not_object' ? [true] : { ...(JSON.parse(body) as object), [member]: undefined };
}

/** Returns a unique id: 32 hexadecimal digits after the prefix. */
export function newId(prefix: string): string {
  return prefix + randomUUID().replaceAll('-', '');
}
