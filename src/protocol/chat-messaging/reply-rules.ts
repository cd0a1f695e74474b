import { isObject } from '../../base/is-object.ts';
import { refused, type Judged, type WholeRules, judgeCreation } from '../classify-whole.ts';
import { describeStatus } from '../error-message.ts';
import type { Verdict } from '../protocol.ts';
import { classOfError, type MessageResult } from './api.ts';

/** Rules of replies to messages. */
export const messageRules: WholeRules = { welcome: [200], refuse, judge: judgeMessage };

/** Returns the rules of creations, whose status may also be 201. */
export function creationRules(sessionIdFrom: string): WholeRules {
  return { welcome: [200, 201], refuse, judge: judgeCreation(sessionIdFrom) };
}

function judgeMessage(envelope: Readonly<Record<string, unknown>>, sessionId: string): Judged {
  const broken = brokenRule(envelope, sessionId);
  if (broken !== '') return { broken, isRestarted: broken === otherSession };
  const data = envelope['data'] as MessageResult;
  return { reply: { text: data.response, id: data.chatId, data, isRestarted: false } };
}

function refuse(status: number, body: unknown): Verdict | undefined {
  const outcome = classOfError(status, isObject(body) ? body['error'] : undefined);
  return outcome && refused(outcome, describeStatus(status, body));
}

/** The parsed body of a 200, as far as the API description defines it. */
interface Envelope {
  success?: unknown;
  data?: unknown;
  error?: unknown;
}

const texts = ['response', 'chatId', 'sessionId', 'createdAt', 'updatedAt'] as const;

/** Describes the first rule of the API description (sections 2.2, 2.4 and 4.1) that a reply to a message breaks; '' if it conforms. */
function brokenRule(envelope: Envelope, sessionId: string): string {
  if (envelope.success !== true) return `success is ${show(envelope.success)}, not true`;
  const data = envelope.data as Readonly<Record<string, unknown>> | null | undefined;
  if (typeof data !== 'object' || data === null) return `data is ${show(data)}, not an object`;
  for (const field of texts)
    if (typeof data[field] !== 'string') return `data.${field} is ${show(data[field])}, not a string`;
  if (data['isSession'] !== true) return `data.isSession is ${show(data['isSession'])}, not true`;
  return data['sessionId'] === sessionId ? '' : otherSession;
}

const otherSession = 'data.sessionId is not the session id that was sent';

const show = (value: unknown): string =>
  value === undefined ? 'missing' : value === null ? 'null' : `a ${typeof value}`;
