import { expect, test } from 'vitest';
import { findPersonal, redactConversation } from './redact-conversation.ts';
import { mask } from './personal-rules.ts';

const said = (...contents: readonly string[]) => ({
  messages: contents.map((content) => ({ role: 'user' as const, content })),
});

test('the same thing has the same placeholder in a conversation, another thing another one', () => {
  const { conversation, counts } = redactConversation({
    id: 'of ada@example.com',
    ...said('I am ada@example.com, 415-555-0132.', 'Not bob@example.com: ADA@example.com, (415) 555 0132!'),
  });
  expect(conversation).toEqual({
    id: 'of <mail-1>',
    ...said('I am <mail-1>, <phone-1>.', 'Not <mail-2>: <mail-1>, <phone-1>!'),
  });
  expect(Object.fromEntries(counts)).toEqual({ mail: 4, phone: 2 });
});

test('placeholders begin anew with every conversation', () => {
  for (const name of ['ada', 'bob'])
    expect(redactConversation(said(`${name}@example.com`)).conversation).toEqual(said('<mail-1>'));
});

test('what is left has nothing more to find', () => {
  const { conversation } = redactConversation(said('a@b.example 93.184.216.34 4111111111111111 +4915123456789'));
  expect(conversation.messages.flatMap(({ content }) => findPersonal(content))).toEqual([]);
});

test('a shape shows nothing of a value', () => {
  expect(mask('ada.l@example.com')).toBe('xxx.x@xxxxxxx.xxx');
  expect(mask('+44 20 7946')).toBe('+00 00 0000');
  expect(mask('ключ\u001b[31m$')).toBe('xxxx??00x?');
  expect(mask('x'.repeat(1000))).toHaveLength(41);
});
