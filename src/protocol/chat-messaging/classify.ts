import { isObject } from '../../base/is-object.ts';
import { printable } from '../../base/printable.ts';
import { valueAt } from '../../base/value-at.ts';
import { errorTexts, type MessageResult } from './api.ts';
import { brokenRule, type Envelope } from './contract.ts';
import { isServerStatus } from '../class-of-status.ts';
import { classifyWhole, refused } from '../classify-whole.ts';
import type { AttemptClass } from '../outcome.ts';
import type { Received, Reply, Verdict } from '../protocol.ts';

/** Judges the JSON object of a reply with a success status: its content, or the rule that it breaks. */
export type Judge = (envelope: Envelope) => { reply: Reply } | { broken: string };

/** The judge of replies to messages of one session. */
export function judgeMessage(sessionId: string): Judge {
  return (envelope) => {
    const broken = brokenRule(envelope, sessionId);
    if (broken !== '') return { broken };
    const data = envelope.data as MessageResult;
    return { reply: { text: data.response, id: data.chatId, data } };
  };
}

/** The judge of creations: the session id is found at a dotted path. */
export function judgeCreation(sessionIdFrom: string): Judge {
  const path = sessionIdFrom.split('.');
  return (envelope) => {
    const id = valueAt(envelope, path);
    if (typeof id === 'string' && id !== '') return { reply: { text: '', id, data: envelope.data } };
    return { broken: `no session id at ${sessionIdFrom}: ${wordWhatIsThere(envelope, path)}` };
  };
}

/** What is found instead of an id: how far its path leads, and the keys there. Contains no value. */
function wordWhatIsThere(envelope: Envelope, path: readonly string[]): string {
  const depth = path.findIndex((_, index) => !isThere(envelope, path.slice(0, index + 1)));
  if (depth === -1) return `that is ${wordKind(valueAt(envelope, path))}`;
  const place = depth === 0 ? 'the reply' : path.slice(0, depth).join('.');
  const found = depth === 0 ? envelope : valueAt(envelope, path.slice(0, depth));
  return isObject(found) ? `${place} has ${wordKeys(Object.keys(found))}` : `${place} is ${wordKind(found)}`;
}

const isThere = (envelope: Envelope, path: readonly string[]): boolean => valueAt(envelope, path) !== undefined;

const wordKind = (value: unknown): string => {
  if (value === '') return 'an empty text';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
};

const mostKeys = 10;
const longestKey = 60;

const wordKeys = (keys: readonly string[]): string => {
  if (keys.length === 0) return 'nothing in it';
  // A long one is omitted entirely: when cut, it could be an undetectable piece of the key.
  const shown = keys.slice(0, mostKeys).map((key) => (key.length > longestKey ? '(a long name)' : printable(key)));
  return [...shown, ...(keys.length > mostKeys ? ['...'] : [])].join(', ');
};

/** Statuses that mean success; a creation may also answer 201. */
export const messageStatuses: readonly number[] = [200];
export const createStatuses: readonly number[] = [200, 201];

/**
 * Puts an exchange into exactly one class. The provider's body is looked at before the status: `Chat provider error`
 * with any status is a provider class.
 */
export function classify(exchange: Received, welcome: readonly number[], judge: Judge): Verdict {
  return classifyWhole(exchange, { welcome, refuse, judge });
}

function refuse(status: number, body: unknown): Verdict | undefined {
  const error = isObject(body) ? body['error'] : undefined;
  if (error === errorTexts.provider) return refused(providerClass(status), `status ${String(status)}, ${error}`);
  const special = specialClass(status, error);
  return special && refused(special, `status ${String(status)}`);
}

function providerClass(status: number): AttemptClass {
  if (status === 429) return 'provider_rate_limited';
  return isServerStatus(status) ? 'provider_error' : 'provider_rejected';
}

/** The class that an error text has with its status; `undefined`: that of the status. */
function specialClass(status: number, error: unknown): AttemptClass | undefined {
  if (status === 400 && error === errorTexts.missingFields) return 'missing_fields';
  if (status === 400 && error === errorTexts.chatDisabled) return 'chat_disabled';
  if (status === 404 && error === errorTexts.agentNotFound) return 'agent_not_found';
  return status === 500 && error === errorTexts.internal ? 'internal_error' : undefined;
}
