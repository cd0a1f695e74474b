import type { BreakBody } from '../exchange/apply-fault.ts';
import type { Delivery } from '../http/delivery.ts';
import type { ApiName } from '../books/api-names.ts';
import type { Asked } from './asked.ts';
import type { MadeReply } from './make-reply.ts';
import { classOfProblem, type Problem } from './problem.ts';
import type { Telling } from './telling.ts';

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

/** Words a problem as the API does, and counts it as its client will. */
export function refusal(api: ServedApi, problem: Problem, retryAfter?: string): Delivery {
  return { outcome: classOfProblem(problem), status: problem.status, body: api.error(problem), retryAfter };
}
