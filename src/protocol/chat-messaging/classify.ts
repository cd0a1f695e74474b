import { isObject } from '../../base/is-object.ts';
import { errorTexts, type MessageResult } from './api.ts';
import { brokenRule } from './contract.ts';
import { isServerStatus } from '../class-of-status.ts';
import { classifyWhole, refused } from '../classify-whole.ts';
import type { AttemptClass } from '../outcome.ts';
import type { Received, Reply, Verdict } from '../protocol.ts';

/** Judges the JSON object of a reply with a success status: its content, or the rule that it breaks. */
export type Judge = (envelope: Readonly<Record<string, unknown>>) => { reply: Reply } | { broken: string };

/** The judge of replies to messages of one session. */
export function judgeMessage(sessionId: string): Judge {
  return (envelope) => {
    const broken = brokenRule(envelope, sessionId);
    if (broken !== '') return { broken };
    const data = envelope['data'] as MessageResult;
    return { reply: { text: data.response, id: data.chatId, data } };
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
