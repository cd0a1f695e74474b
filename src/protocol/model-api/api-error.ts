import { isObject } from '../../base/is-object.ts';
import { classOfStatus, jsonIn, refused } from '../classify-whole.ts';
import { errorMessage } from '../error-message.ts';
import type { AttemptClass } from '../outcome.ts';
import type { Verdict } from '../protocol.ts';

/** An error of a model API; missing fields are ''. */
export interface ApiError {
  readonly type: string;
  readonly code: string;
  readonly message: string;
  /** The status of a failure next to it; `undefined`: none. */
  readonly status?: number | undefined;
}

/** Returns the error in a body or an event, if any: its `error` that is not an empty object, or the whole if it is the object `error`. */
export function errorIn(body: unknown): ApiError | undefined {
  if (!isObject(body)) return undefined;
  const { error } = body;
  if (isObject(error) && Object.values(error).some(isStated)) return readError(error);
  return body['object'] === 'error' ? readError(body) : undefined;
}

const isStated = (value: unknown): boolean => value !== null && value !== '';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the error that a body may be, if it has no text of a reply: a text in one of the fields that only errors have, or a
 * message next to a sign of failure, such as `success: false` or a status of failure, as web frameworks and gateways send them.
 */
export function errorInstead(body: unknown): ApiError | undefined {
  if (!isObject(body)) return undefined;
  const texts = [...errorFields, ...(hasFailed(body) ? messageFields : [])].map((name) =>
    errorMessage(body[name] ?? ''),
  );
  const text = texts.find((each) => each !== '');
  if (text !== undefined) return { ...readError(body), message: text };
  const inner = body['base_resp'];
  return inner === undefined ? undefined : errorInstead(inner);
}

/** Fields whose text, list or object is an error. */
const errorFields = 'error detail errors err exception error_msg error_message errorMessage errorText'.split(' ');
/** Fields of the message of a body that has failed. */
const messageFields = 'msg message Message status_msg reason title data'.split(' ');

/** Fields whose text is an error if a reply has nothing else. `title` is none of them: it may be that of the conversation. */
const loneFields = ['message', 'Message', 'msg', 'reason'];

/** Reports whether a body without a text of a reply states that it has failed. */
function hasFailed(body: Fields): boolean {
  const { error, success, ok, status, __type: type } = body;
  if (success === false || ok === false || error === true) return true;
  if (typeof status === 'string' && failedStatus.test(status)) return true;
  if (typeof type === 'string' && /(?:exception|error)$/i.test(type)) return true;
  return statusFields.some((name) => isFailedCode(body[name])) && !messageFields.some((name) => isPraise(body[name]));
}

/** Reports whether a message is that of a success or a step: some services number these, too. */
const isPraise = (message: unknown): boolean =>
  typeof message === 'string' &&
  /^(?:ok|success|done|complete|成功|start|pending|processing|running|in progress)/i.test(message);

const failedStatus = /^(?:error|fail(?:ed|ure)?)$/i;
/** Fields with the number of a failure, the most specific one first. */
const statusFields = 'code statusCode status_code error_code errorCode status error'.split(' ');

/** Reports whether a number is that of a failure: 0, 1 and other small ones are those of successes and steps. */
function isFailedCode(code: unknown): boolean {
  const number = typeof code === 'string' && /^-?\d{1,9}$/.test(code) ? Number(code) : code;
  return typeof number === 'number' && (number < 0 || number >= 400);
}

/**
 * Returns the error that a reply or an event states whatever text it has: by its kind, a flag or status of failure, or a code of
 * failure in a field that only errors have.
 */
export function errorBeside(body: unknown, type = ''): ApiError | undefined {
  if (!isObject(body)) return undefined;
  const { type: kind, event, success, ok, error, status } = body;
  const isStatedByName = isErrorType(type) || isErrorType(kind) || isErrorType(event);
  const hasFlag = success === false || ok === false || error === true;
  const hasStatus = typeof status === 'string' && failedStatus.test(status);
  if (!isStatedByName && !hasFlag && !hasStatus && !codeFields.some((name) => isFailedCode(body[name])))
    return undefined;
  const instead = errorInstead(body);
  if (instead !== undefined) return instead;
  const texts = textFields.map((name) => body[name]).filter((text) => typeof text === 'string');
  return { ...readError(body), message: texts.find((text) => text !== '') ?? '' };
}

/** Fields with the code of a failure; 'code' and 'status' may be those of an order. */
const codeFields = ['error_code', 'errorCode', 'status_code', 'statusCode'];
/** Fields of replies that may hold the text of an error. */
const textFields = 'message content text response reply answer output token delta'.split(' ');

/** Returns the error that an event without text states; a `detail` besides other fields may be that of a progress. */
export function errorInEvent(event: unknown, type: string): ApiError | undefined {
  if (!isObject(event))
    return isErrorType(type) && typeof event === 'string' ? readError({ message: event }) : undefined;
  const isNamed = isErrorType(type) || isErrorType(event['type']) || isErrorType(event['event']);
  // Events that state nothing, as nearly all do, cost no copy.
  if (!isNamed && !mayState(event)) return undefined;
  const { detail, ...others } = event;
  const isDetail = Object.values(others).every((value) => value === null);
  // The failure of a step, such as that of a tool, is not that of the reply.
  const stated = errorIn(event) ?? (isNamed ? undefined : errorInstead(isDetail ? { detail } : others));
  return stated ?? (isNamed ? (errorInstead(event) ?? readError(event)) : undefined);
}

/** Returns the error that an event of nothing but a message is if the reply has no text: `{ message: 'Busy' }`. */
export function loneMessage(event: Fields): ApiError | undefined {
  let message = '';
  for (const name in event) {
    const value = event[name];
    if ((value ?? '') === '') continue;
    if (typeof value !== 'string' || message !== '' || !loneFields.includes(name) || isPraise(value)) return undefined;
    message = value;
  }
  return message === '' ? undefined : readError({ message });
}

/** Reports whether the type of an event is that of an error. */
export function isErrorType(type: unknown): boolean {
  return type === 'error' || (typeof type === 'string' && type.length <= maxTypeLength && errorType.test(type));
}

const errorType = /^(?:run_)?(?:error|exception)$/i;
const maxTypeLength = 16;

/** Returns the error that a text states in JSON, in the place of a reply that is text. */
export function errorInText(text: string): ApiError | undefined {
  return text.trimStart().startsWith('{') ? errorInEvent(jsonIn(text), '') : undefined;
}

/** Reports whether an event may state an error: events of a known type or with choices do so only in few fields. */
function mayState(event: Fields): boolean {
  const { error, detail, success, object, type, event: name, choices } = event;
  if ((error ?? detail ?? success) !== undefined || object === 'error') return true;
  return (type ?? name ?? choices ?? undefined) === undefined && signFields.some((field) => field in event);
}

/** Fields of errors that events of a known type have with other meanings. */
const signFields = [...errorFields, ...statusFields, 'ok', '__type', 'base_resp'];

/** Reads an error. The AI SDK's error part has only an `errorText`. */
export function readError(error: Fields): ApiError {
  const { type, code, message, errorText, __type: typeOfAws } = error;
  const number = textOf(code) === '' ? statusFields.map((name) => error[name]).find(isFailedCode) : code;
  const status = statusFields.map((name) => Number(error[name])).find((each) => each >= 400 && each <= 599);
  return { type: textOf(type ?? typeOfAws), code: textOf(number), message: textOf(message ?? errorText), status };
}

/** Returns the verdict on a response with an error, or with an error status; `undefined` if it has neither. */
export function refuseResponse(status: number, body: unknown, text: string): Verdict | undefined {
  const error = errorIn(body);
  if (status >= 200 && status <= 299) return error && refuseError(error);
  const message = errorMessage(body, text);
  return refuse(status, { ...(error ?? readError({})), message }, `status ${String(status)}`);
}

/** Returns the verdict on an error inside a success, streamed or not: the class of the status that it stands for, else `provider_error`. */
export function refuseError(error: ApiError, seen = 'an error in a successful response'): Verdict {
  const status = statusOf(error);
  const verdict = refuse(status ?? 500, error, seen);
  return status === undefined ? { ...verdict, outcome: 'provider_error' } : verdict;
}

function refuse(status: number, error: ApiError, seen: string): Verdict {
  const detail = wordsOf(error)
    .filter((word) => plainWord.test(word))
    .slice(0, 1);
  const message = errorMessage(error.message);
  const suffix = message === '' ? '' : `: ${message}`;
  if (quotaStatuses.includes(status) && isUsedUp(error))
    return refused('forbidden', [seen, ...detail, 'its quota or credit is used up'].join(', ') + suffix);
  return refused(classOf(status, error), [seen, ...detail].join(', ') + suffix);
}

function classOf(status: number, error: ApiError): AttemptClass {
  return status === 404 && namesModel(error) ? 'agent_not_found' : classOfStatus(status);
}

/** Statuses by which model APIs report an exhausted quota or credit, for which waiting does not help. */
const quotaStatuses = [400, 402, 403, 429];
const usedUp = ['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active', 'billing_error'];

const isUsedUp = (error: ApiError): boolean =>
  wordsOf(error).some((word) => usedUp.includes(word)) || /credit balance is too low/i.test(error.message);

const namesModel = (error: ApiError): boolean =>
  wordsOf(error).some((word) => word === 'model_not_found' || word === 'DeploymentNotFound') ||
  (error.type === 'not_found_error' && error.message.startsWith('model'));

/** Returns the status that an error inside a 200 stands for; the first match; `undefined`: it names none. Gateways put the number itself into `code`. */
function statusOf(error: ApiError): number | undefined {
  const words = wordsOf(error);
  if (/^[45]\d\d$/.test(error.code)) return Number(error.code);
  return statusesByWord.find(([pattern]) => words.some((word) => pattern.test(word)))?.[1] ?? error.status;
}

const statusesByWord: readonly (readonly [RegExp, number])[] = [
  [/quota|billing/, 403],
  [/^(?:rate_?limit|throttl|too_?many_?requests|resource_exhausted)/i, 429],
  [/^authentication|^invalid_api_key/, 401],
  [/^permission/, 403],
  [/^(model_)?not_found/, 404],
  [/^request_too_large/, 413],
  [/server_error$|^internal|^overloaded|^api_error$|unavailable/, 500],
  [/^content_filter/, 400],
  [/^invalid_/, 400],
  // Codes of JSON-RPC, and of A2A over it: https://a2a-protocol.org/v1.0.0/specification/#error-handling
  [/^-32001$/, 404],
  [/^-(32700|3260[0-2]|3200[2-59])$/, 400],
];

/** Returns the more specific identifier first. */
const wordsOf = ({ code, type }: ApiError): readonly string[] => [code, type];

/** Matches identifiers of the API, which are safe to quote because they are neither texts nor keys. */
const plainWord = /^[a-z_]{1,40}$/;

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
