import { expect, test } from 'vitest';
import { talkBy, wholeReply } from '../../../test/support/stream-events.ts';
import type { Verdict } from '../protocol.ts';
import { chatMessaging } from './chat-messaging.ts';

const { open } = talkBy(chatMessaging);
const at = '2026-01-01T00:00:00Z';
const data = { response: 'one', chatId: 'c', sessionId: '7', isSession: true, createdAt: at, updatedAt: at };
const read = (body: unknown): Verdict => open().converse('7').read(wholeReply(200, body));

test.each<[string, object, string | undefined]>([
  ['as described', { success: true, data }, undefined],
  ['with more fields', { success: true, data: { ...data, cost: 1, mood: null }, took: 4 }, undefined],
  ['without success', { data }, 'success is missing'],
  ['with success as a text', { success: 'true', data }, 'success is a string'],
  ['without a chatId', { success: true, data: { ...data, chatId: null } }, 'data.chatId is null'],
  ['with a number as chatId', { success: true, data: { ...data, chatId: 5 } }, 'data.chatId is a number'],
  ['without a sessionId', { success: true, data: { ...data, sessionId: undefined } }, 'data.sessionId is missing'],
  ['with a number as sessionId', { success: true, data: { ...data, sessionId: 7 } }, 'data.sessionId is a number'],
  ['without isSession', { success: true, data: { ...data, isSession: undefined } }, 'data.isSession is missing'],
  ['with isSession as a number', { success: true, data: { ...data, isSession: 1 } }, 'data.isSession is a number'],
  ['with a number as time', { success: true, data: { ...data, createdAt: 1 } }, 'data.createdAt is a number'],
  ['without updatedAt', { success: true, data: { ...data, updatedAt: undefined } }, 'data.updatedAt is missing'],
])('a reply %s is read, with a note', (_, body, detail) => {
  const { outcome, reply } = read(body);
  expect([outcome, reply?.text]).toEqual(['ok', 'one']);
  expect(reply?.notes).toEqual(detail === undefined ? undefined : [{ rule: 'other_field', detail }]);
});

test.each<[string, unknown, string, string]>([
  ['of another session', { success: true, data: { ...data, sessionId: '8' } }, 'contract_broken', 'session id'],
  ['without a text', { success: true, data: { ...data, response: undefined } }, 'contract_broken', 'data.response'],
  ['without success', { success: false, data }, 'contract_broken', 'success'],
  ['of no session', { success: true, data: { ...data, isSession: false } }, 'contract_broken', 'isSession'],
  ['with an error text of the API', { success: false, error: 'Agent not found' }, 'agent_not_found', 'Agent not found'],
  ['with a failure of the provider', { success: false, error: 'Chat provider error' }, 'provider_rejected', 'provider'],
  ['with another error text', { success: false, error: 'Busy' }, 'provider_error', 'Busy'],
  ['with a message', { success: false, message: 'Busy' }, 'provider_error', 'Busy'],
  ['with an error object', { error: { code: 429, message: 'Busy' } }, 'rate_limited', 'Busy'],
])('a reply %s fails', (_, body, outcome, detail) => {
  const verdict = read(body);
  expect(verdict).toMatchObject({ outcome, reply: undefined });
  expect(verdict.detail).toContain(detail);
});
