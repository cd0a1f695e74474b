import { isObject } from '../../base/is-object.ts';
import { errorTexts, type MessageResult } from './api.ts';
import { brokenRule } from './contract.ts';
import { isServerStatus } from '../class-of-status.ts';
import { statusWords } from '../error-message.ts';
import { refused, type Judged, type WholeRules } from '../classify-whole.ts';
import { judgeCreation } from '../judge-creation.ts';
import type { AttemptClass } from '../outcome.ts';
import type { Verdict } from '../protocol.ts';

/**
 * How replies to messages are judged. The provider's body is looked at before the status: `Chat provider error` with any
 * status is a provider class.
 */
export const messageRules: WholeRules = { welcome: [200], refuse, judge: judgeMessage };

/** The same of creations, whose status may also be 201. */
export function creationRules(sessionIdFrom: string): WholeRules {
  return { welcome: [200, 201], refuse, judge: judgeCreation(sessionIdFrom) };
}

function judgeMessage(envelope: Readonly<Record<string, unknown>>, sessionId: string): Judged {
  const broken = brokenRule(envelope, sessionId);
  if (broken !== '') return { broken };
  const data = envelope['data'] as MessageResult;
  return { reply: { text: data.response, id: data.chatId, data } };
}

function refuse(status: number, body: unknown): Verdict | undefined {
  const error = isObject(body) ? body['error'] : undefined;
  if (error === errorTexts.provider) return refused(providerClass(status), statusWords(status, body));
  const special = specialClass(status, error);
  return special && refused(special, statusWords(status, body));
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
