import { isObject } from '../../base/is-object.ts';
import { valueAt } from '../../base/value-at.ts';
import { errorTexts, type MessageResult } from './api.ts';
import { brokenRule, type Envelope } from './contract.ts';
import { wordWhatIsThere } from '../word-what-is-there.ts';
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

/** Statuses that mean success; a creation may also answer 201. */
export const messageStatuses: readonly number[] = [200];
export const createStatuses: readonly number[] = [200, 201];

/**
 * Puts an exchange into exactly one class. The provider's body is looked at before the status: `Chat provider error`
 * with any status is a provider class.
 */
export function classify(exchange: Received, welcome: readonly number[], judge: Judge): Verdict {
  if (exchange.failure !== undefined) return verdict(exchange.failure, exchange.detail);
  const body = parse(exchange.body);
  if (isObject(body) && body['error'] === errorTexts.provider) return providerVerdict(exchange.status);
  if (!welcome.includes(exchange.status))
    return statusVerdict(exchange.status, isObject(body) ? body['error'] : undefined);
  if (!exchange.isUtf8) return verdict('malformed', `status ${String(exchange.status)} whose body is not UTF-8`);
  if (body === undefined) return verdict('malformed', `status ${String(exchange.status)} whose body is not JSON`);
  if (!isObject(body)) return verdict('contract_broken', 'the body is JSON, but not an object');
  const judged = judge(body);
  return 'broken' in judged
    ? verdict('contract_broken', judged.broken)
    : { outcome: 'ok', detail: '', reply: judged.reply };
}

const verdict = (outcome: AttemptClass, detail: string): Verdict => ({
  outcome,
  detail,
  reply: undefined,
});

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // A body that is not JSON is one of the answers here, not a failure of ours.
    return undefined;
  }
}

function providerVerdict(status: number): Verdict {
  const detail = `status ${String(status)}, ${errorTexts.provider}`;
  if (status === 429) return verdict('provider_rate_limited', detail);
  return verdict(isServerStatus(status) ? 'provider_error' : 'provider_rejected', detail);
}

function statusVerdict(status: number, error: unknown): Verdict {
  return verdict(classOf(status, error), `status ${String(status)}`);
}

function classOf(status: number, error: unknown): AttemptClass {
  switch (status) {
    case 400:
      if (error === errorTexts.missingFields) return 'missing_fields';
      return error === errorTexts.chatDisabled ? 'chat_disabled' : 'bad_request';
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
      return error === errorTexts.agentNotFound ? 'agent_not_found' : 'not_found';
    case 429:
      return 'rate_limited';
    case 500:
      return error === errorTexts.internal ? 'internal_error' : 'server_error';
    default:
      return isServerStatus(status) ? 'server_error' : 'http_other';
  }
}

const isServerStatus = (status: number): boolean => status >= 500 && status <= 599;
