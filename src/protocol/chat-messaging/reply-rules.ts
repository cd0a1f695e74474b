import { isObject } from '../../base/is-object.ts';
import { refused, type Judged, type WholeRules, judgeCreation } from '../classify-whole.ts';
import { describeStatus } from '../error-message.ts';
import { refuseResponse } from '../model-api/api-error.ts';
import { refuseInstead, type Fields } from '../model-api/read-reply.ts';
import { Notes } from '../notes.ts';
import type { Reply, Verdict } from '../protocol.ts';
import { classOfError } from './api.ts';

/** Rules of replies to messages. */
export const messageRules: WholeRules = { welcome: [200], refuse, judge: judgeMessage, instead: refuseInstead };

/** Returns the rules of creations, whose status may also be 201. */
export function creationRules(sessionIdFrom: string): WholeRules {
  return { welcome: [200, 201], refuse, judge: judgeCreation(sessionIdFrom) };
}

/** Judges a reply by the fields without which its user has no reply, or the one of another session; the others are noted. */
function judgeMessage({ success, data }: Fields, sessionId: string): Judged {
  if (isDenied(success)) return { broken: `success is ${show(success)}, not true` };
  if (!isObject(data)) return { broken: `data is ${show(data)}, not an object` };
  const { response, chatId, sessionId: echoed = null, isSession } = data;
  if (typeof response !== 'string') return { broken: `data.response is ${show(response)}, not a string` };
  if (isDenied(isSession)) return { broken: `data.isSession is ${show(isSession)}, not true` };
  if (echoed !== null && idOf(echoed) !== sessionId) return { broken: otherSession, isRestarted: true };
  const isDescribed = success === true && isSession === true && texts.every((field) => typeof data[field] === 'string');
  const notes = isDescribed ? undefined : notesOn(success, data);
  return { reply: { text: response, id: idOf(chatId), data, isRestarted: false, notes } };
}

/** Returns the notes on fields that are missing or have another type. */
function notesOn(success: unknown, data: Fields): Reply['notes'] {
  const notes = new Notes();
  if (success !== true) notes.add('other_field', `success is ${show(success)}`);
  if (data['isSession'] !== true) notes.add('other_field', `data.isSession is ${show(data['isSession'])}`);
  for (const field of texts)
    if (typeof data[field] !== 'string') notes.add('other_field', `data.${field} is ${show(data[field])}`);
  return notes.all;
}

/** Returns the verdict on a response whose error decides its class: a text of the description, or an error in a success. */
function refuse(status: number, body: unknown, text: string): Verdict | undefined {
  const outcome = classOfError(status, isObject(body) ? body['error'] : undefined);
  if (outcome !== undefined) return refused(outcome, describeStatus(status, body));
  return status === 200 || status === 201 ? refuseResponse(status, body, text) : undefined;
}

/** Fields of a reply that no client needs. */
const texts = ['chatId', 'sessionId', 'createdAt', 'updatedAt'] as const;

/** Reports whether a service states that a field, which is always true, is false. */
const isDenied = (value: unknown): boolean => value === false || value === 'false' || value === 0;

const idOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

const otherSession = 'data.sessionId is not the session id that was sent';

const show = (value: unknown): string =>
  value === undefined ? 'missing' : value === null ? 'null' : `a ${typeof value}`;
