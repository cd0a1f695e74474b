import { isObject, valueAt } from '../base/is-object.ts';
import { describeStatus, quoteText } from './error-message.ts';
import type { Note } from './notes.ts';
import type { AttemptClass, ErrorClass } from './outcome.ts';
import type { Received, Reply, Verdict } from './protocol.ts';
import { describeFound } from './describe-found.ts';

/** Result of judging a reply with a success status: its content, the rule that it breaks, or an error that it reports. */
export type Judged = { reply: Reply } | { broken: string; isRestarted?: boolean } | { refusal: Verdict };

/** Rules of non-streamed JSON replies. */
export interface WholeRules {
  /** Statuses that mean success; a reply with another one of success is noted. Empty: none is read. */
  readonly welcome: readonly number[];
  /** Returns the verdict on a body, also as text, if the body decides the class with or without the status; `undefined`: the status decides. */
  readonly refuse: (status: number, body: unknown, text: string) => Verdict | undefined;
  /** Judges the JSON object of a reply with a success status. */
  readonly judge: (body: Readonly<Record<string, unknown>>, sessionId: string) => Judged;
  /** Returns the verdict on a success that has an error in the place of a reply; omitted by APIs whose errors are all described. */
  readonly instead?: (body: Readonly<Record<string, unknown>>) => Verdict | undefined;
}

/** Assigns exactly one class to an exchange with a non-streamed reply. `sessionId`: for rules that compare it. */
export function classifyWhole(received: Received, rules: WholeRules, sessionId = ''): Verdict {
  const { failure, status } = received;
  if (failure !== undefined) return refused(failure, received.detail);
  const body = jsonIn(received.body);
  const refusal = rules.refuse(status, body, received.body);
  if (refusal !== undefined) return refusal;
  const isWelcome = rules.welcome.includes(status);
  if (!isWelcome && (rules.welcome.length === 0 || !isReplyStatus(status) || !isObject(body)))
    return byStatus(received, body);
  if (!received.isUtf8) return refused('malformed', `status ${String(status)} whose body is not UTF-8`);
  if (body === undefined) return notJson(received);
  if (!isObject(body)) return broken('the body is JSON, but not an object');
  const judged = rules.judge(body, sessionId);
  const verdict = (isWithoutText(judged) ? rules.instead?.(body) : undefined) ?? verdictOf(judged);
  if (isWelcome) return verdict;
  return verdict.outcome === 'contract_broken'
    ? byStatus(received, body)
    : withNote(verdict, { rule: 'other_status', detail: String(status) });
}

function byStatus({ status, body: text }: Received, body: unknown): Verdict {
  return refused(classOfStatus(status), describeStatus(status, body, text));
}

/** Adds a note to the reply, if there is one. */
export function withNote(verdict: Verdict, note: Note): Verdict {
  const { reply } = verdict;
  if (reply === undefined) return verdict;
  return { ...verdict, reply: { ...reply, notes: [...(reply.notes ?? []), note] } };
}

/** Reports whether a body with this status may be a reply: 204 has none. */
export function isReplyStatus(status: number): boolean {
  return status >= 200 && status <= 299 && status !== 204;
}

/** Reports whether a judged body has neither a text nor tool calls. */
function isWithoutText(judged: Judged): boolean {
  if ('broken' in judged) return true;
  return 'reply' in judged && judged.reply.text === '' && judged.reply.toolCalls === undefined;
}

/** Returns the verdict on a judged reply. */
export function verdictOf(judged: Judged): Verdict {
  if ('refusal' in judged) return judged.refusal;
  if ('broken' in judged)
    return { ...broken(judged.broken), ...(judged.isRestarted === true && { isRestarted: true }) };
  return { outcome: 'ok', detail: '', reply: judged.reply };
}

/** Returns the verdict on an exchange without a reply. */
export function refused(outcome: AttemptClass, detail: string): Verdict {
  return { outcome, detail, reply: undefined };
}

/** Returns the verdict that a reply breaks a rule. */
export function broken(rule: string): Verdict {
  return refused('contract_broken', rule);
}

/** Returns the verdict on a success whose body is not JSON; a stream was not requested. */
export function notJson({ status, body, contentType = '' }: Received): Verdict {
  const kind = body === '' ? 'empty' : `not JSON${quoteText(body)}`;
  const isStream = /^(?:text\/event-stream|application\/x-ndjson)\b/i.test(contentType);
  const streams = isStream ? ': a stream, which was not requested (target.stream, --stream)' : '';
  return refused('malformed', `status ${String(status)} whose body is ${kind}${streams}`);
}

/** Returns the value of a JSON text of any depth (unread fields may be deep), or `undefined` if it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const classes: Readonly<Record<number, ErrorClass>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
};

/** Returns the class of an unsuccessful response by its status alone. */
export function classOfStatus(status: number): ErrorClass {
  return classes[status] ?? (isServerStatus(status) ? 'server_error' : 'http_other');
}

export function isServerStatus(status: number): boolean {
  return status >= 500 && status <= 599;
}

type Body = Readonly<Record<string, unknown>>;

/** Returns the judge of creations: the session id is at a dotted path. */
export function judgeCreation(sessionIdFrom: string): (body: Body) => { reply: Reply } | { broken: string } {
  const path = sessionIdFrom.split('.');
  return (body) => {
    const id = valueAt(body, path);
    if (typeof id === 'string' && id !== '') return { reply: { text: '', id, data: body['data'] } };
    return { broken: `no session id at ${sessionIdFrom}: ${describeFound(body, path)}` };
  };
}
