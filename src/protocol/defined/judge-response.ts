import type { Received, Verdict } from '../protocol.ts';
import { AuthorError } from './author-error.ts';
import { classOfStatus } from '../class-of-status.ts';
import { describeStatus } from '../error-message.ts';
import { jsonIn, notJson, refused } from '../classify-whole.ts';
import type { ReadError } from './read-error.ts';

/** How whole responses are judged. */
interface ResponseRules {
  readError: ReadError;
  /** Whether the body of a success has to be JSON. */
  needsJson: boolean;
  /** The verdict on a response that says that its answer is still being made; `undefined`: it does not say that. */
  pending?: (body: unknown) => Verdict | undefined;
  /** Judges the JSON of a response with a success status; `undefined` where it is none. */
  judge: (body: unknown) => Verdict;
}

/** Puts an exchange with a whole response into exactly one class: the author's, or that of the status. */
export function judgeResponse(received: Received, { readError, needsJson, pending, judge }: ResponseRules): Verdict {
  const { failure, status } = received;
  if (failure !== undefined) return refused(failure, received.detail);
  const body = jsonIn(received.body);
  return unlessAuthorErrs(() => {
    const error = readError(status, body);
    if (error !== undefined) return refused(error, describeStatus(status, body, received.body));
    const unfinished = pending?.(body);
    if (unfinished !== undefined) return unfinished;
    if (!isSuccess(status)) return refused(classOfStatus(status), describeStatus(status, body, received.body));
    if (needsJson && !received.isUtf8) return refused('malformed', `status ${String(status)} whose body is not UTF-8`);
    if (needsJson && body === undefined) return notJson(received);
    return judge(body);
  });
}

/** Whether a status means success. */
export function isSuccess(status: number): boolean {
  return status === 200 || status === 201;
}

/** A function that fails on what a service says: the reply is not what its definition says, or the definition is wrong. */
function unlessAuthorErrs(judge: () => Verdict): Verdict {
  try {
    return judge();
  } catch (thrown) {
    if (thrown instanceof AuthorError) return refused('contract_broken', thrown.message);
    throw thrown;
  }
}
