import type { Received, Verdict } from '../protocol.ts';
import { AuthorError, callAuthor } from './author-error.ts';
import { classOfStatus, broken, isReplyStatus, jsonIn, notJson, refused } from '../classify-whole.ts';
import { describeStatus } from '../error-message.ts';
import { errorIn, errorInstead, errorInText, refuseError } from '../model-api/api-error.ts';
import { errorClassNames, type ErrorClass } from '../outcome.ts';
import { unknownName } from '../../base/unknown-name.ts';
import type { ApiDefinition } from './definition.ts';
import { htmlPage, isHtmlPage } from './plain-text.ts';

/** Rules of non-streamed responses. */
interface ResponseRules {
  readError: ReadError;
  /** True if the body of a success has to be JSON. */
  needsJson: boolean;
  /** True if the body of a success is text, which is judged instead of its JSON. */
  isText?: boolean;
  /** Returns the verdict on a response without an answer yet; `undefined` if it has one. */
  pending?: (body: unknown) => Verdict | undefined;
  /** Judges the JSON of a response with a success status; `undefined` if it is not JSON. */
  judge: (body: unknown) => Verdict;
}

/** Assigns exactly one class to an exchange with a non-streamed response: the author's, or the status's. */
export function judgeResponse(received: Received, rules: ResponseRules): Verdict {
  const { readError, needsJson, isText = false, pending, judge } = rules;
  const { failure, status } = received;
  if (failure !== undefined) return refused(failure, received.detail);
  const isTextReply = isText && isReplyStatus(status);
  const body = isTextReply ? received.body : jsonIn(received.body);
  return unlessAuthorErrs(() => {
    const error = readError(status, body);
    if (error !== undefined) return refused(error, describeStatus(status, body, received.body));
    const failed = pending !== undefined && isReplyStatus(status) ? errorIn(body) : undefined;
    if (failed !== undefined) return refuseError(failed);
    const unfinished = pending?.(body);
    if (unfinished !== undefined) return unfinished;
    if (!isReplyStatus(status)) return refused(classOfStatus(status), describeStatus(status, body, received.body));
    if ((needsJson || isTextReply) && !received.isUtf8)
      return refused('malformed', `status ${String(status)} whose body is not UTF-8`);
    if (isTextReply && isHtmlPage(received.body)) return htmlPage;
    const stated = isTextReply ? errorInText(received.body) : undefined;
    if (stated !== undefined) return refuseError(stated);
    if (needsJson && body === undefined) return notJson(received);
    const verdict = needsJson ? orError(judge(body), body) : judge(body);
    const isOther = !isUsual(status) && verdict.outcome === 'contract_broken';
    return isOther ? refused(classOfStatus(status), describeStatus(status, body, received.body)) : verdict;
  });
}

/** Statuses of replies; others of success may be acknowledgements. */
const isUsual = (status: number): boolean => status === 200 || status === 201;

/** Returns the verdict on an error in the place of a reply, as web frameworks send them; otherwise the verdict on the reply. */
function orError(verdict: Verdict, body: unknown): Verdict {
  if (verdict.outcome !== 'contract_broken') return verdict;
  const error = errorIn(body) ?? errorInstead(body);
  return error === undefined ? verdict : refuseError(error);
}

/** Judges a response. If a function of the author fails on a response, either the reply or the definition is wrong. */
function unlessAuthorErrs(judge: () => Verdict): Verdict {
  try {
    return judge();
  } catch (thrown) {
    if (thrown instanceof AuthorError) return broken(thrown.message);
    throw thrown;
  }
}

/** Returns the author's class of a response; `undefined` if the status decides. Throws `AuthorError`. */
export type ReadError = (status: number, body: unknown) => ErrorClass | undefined;

export function errorReader({ errors }: Pick<ApiDefinition, 'errors'>): ReadError {
  if (errors === undefined) return () => undefined;
  return (status, body) => {
    const given: unknown = callAuthor('errors', () => errors(status, body));
    return given === undefined || given === null ? undefined : errorClass('errors', given);
  };
}

/** Reads a function's result as a class of errors. */
export function errorClass(name: string, given: unknown): ErrorClass {
  const known = errorClassNames.find((each) => each === given);
  if (known !== undefined) return known;
  const problem =
    typeof given === 'string'
      ? `an ${unknownName('class', given, errorClassNames)}`
      : 'a value that is not a class of errors';
  throw new AuthorError(name, `returned ${problem}`);
}
