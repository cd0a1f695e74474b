import { expect, test } from 'vitest';
import { countUserTurns, type Role } from '../conversation.ts';
import { readConversation } from '../read-conversation.ts';
import { repairConversation, languageOf } from './repair-conversation.ts';

const roles: Readonly<Record<string, Role>> = { u: 'user', a: 'assistant', s: 'system', t: 'tool' };

/** `u:hi` as a user message. */
const raw = (...said: readonly string[]) => ({
  messages: said.map((each) => ({ role: roles[each.slice(0, 1)] ?? 'user', text: each.slice(2) })),
});

function resolved(...said: readonly string[]): unknown {
  const result = repairConversation(raw(...said));
  if (result === undefined) return undefined;
  const repairs = Object.fromEntries(Object.entries(result.repairs).filter(([, count]) => count > 0));
  return [result.conversation.messages.map(({ role, content }) => `${role.slice(0, 1)}:${content}`), repairs];
}

test.each([
  ['as it is', ['s:be', 'u:hi', 'a:yes', 'u:and'], ['s:be', 'u:hi', 'a:yes', 'u:and'], {}],
  ['replies first', ['a:old', 't:x', 's:be', 'u:hi'], ['s:be', 'u:hi'], { leadingReplies: 2 }],
  ['two in a row', ['u:hi', 'u:there', 'a:1', 'a:2'], ['u:hi\n\nthere', 'a:1\n\n2'], { joinedMessages: 2 }],
  ['empty ones', ['u:hi', 'a: \n', 'u:there', 's:'], ['u:hi\n\nthere'], { emptyMessages: 1, joinedMessages: 1 }],
  [
    'a tool called by a reply without text',
    ['u:hi', 'a:', 't:x', 'a:yes'],
    ['u:hi', 'a:yes'],
    { emptyMessages: 1, misplaced: 1 },
  ],
  ['a tool after a reply', ['u:hi', 'a:wait', 't:x', 'a:yes'], ['u:hi', 'a:wait', 't:x', 'a:yes'], {}],
  [
    'a tool of a reply before the user',
    ['a:old', 'u:hi', 't:x', 'a:yes'],
    ['u:hi', 'a:yes'],
    { leadingReplies: 1, misplaced: 1 },
  ],
  [
    'the system later on',
    ['s:be', 'u:hi', 's:or not', 'u:so'],
    ['s:be', 'u:hi\n\nso'],
    { misplaced: 1, joinedMessages: 1 },
  ],
  ['half characters', ['u:a\ud800b', 'a:\ud83d\ude00'], ['u:a\ufffdb', 'a:\ud83d\ude00'], { loneSurrogates: 1 }],
])('%s', (_, said, expected, repairs) => {
  expect(resolved(...said)).toEqual([expected, repairs]);
});

test('any order of roles is repaired so that it can be read', () => {
  const said = ['u:hi', 'a:yes', 'a:', 's:be', 't:x'];
  const ofLength = (length: number): string[][] =>
    length === 0 ? [[]] : ofLength(length - 1).flatMap((rest) => said.map((each) => [...rest, each]));
  const refused = [1, 2, 3, 4, 5].flatMap(ofLength).filter((each) => {
    const result = repairConversation(raw(...each));
    return result !== undefined && typeof readConversation(result.conversation) === 'string';
  });
  expect(refused).toEqual([]);
});

test.each([[[]], [['a:yes']], [['s:be', 'u:  ']]])('%j has no user message', (said: readonly string[]) => {
  expect(resolved(...said)).toBeUndefined();
});

test('an id and a language are kept, as a code', () => {
  const { conversation } = repairConversation({ ...raw('u:hi'), id: '7', language: 'German' }) ?? {};
  expect(conversation).toEqual({ id: '7', language: 'de', messages: [{ role: 'user', content: 'hi' }] });
  expect(conversation && countUserTurns(conversation)).toBe(1);
});

test('white space within a message stays', () => {
  expect(resolved('u:  hi\n')).toEqual([['u:  hi\n'], {}]);
});

test.each([
  ['en', 'en'],
  ['EN-us', 'en'],
  ['pt_BR', 'pt'],
  ['English', 'en'],
  ['german', 'de'],
  ['Chinese', 'zh'],
  ['Japanese', 'ja'],
  ['unknown', undefined],
  ['Klingon', undefined],
  ['xx', undefined],
  ['', undefined],
  ['__proto__', undefined],
  [undefined, undefined],
])('%s is %s', (stated, code) => {
  expect(languageOf(stated)).toBe(code);
});
