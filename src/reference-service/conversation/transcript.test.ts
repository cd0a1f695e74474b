import { expect, test } from 'vitest';
import { StoredConversation } from './conversation.ts';
import { turnsSince } from './transcript.ts';

const conversationOf = (...messages: string[]): StoredConversation => {
  const conversation = new StoredConversation({ turns: 4, characters: 1e6 });
  for (const message of messages) conversation.add({ message, response: 'r', createdAt: '2026-01-01T00:00:00.000Z' });
  return conversation;
};
const seen = (forgotten: number, ...messages: string[]) => {
  const { count, latestMessage, at, remembered } = turnsSince(conversationOf(...messages), forgotten);
  const said = remembered().map(({ turn, message }) => `${String(turn)}${message}`);
  return { count, latestMessage, said, at: [0, 1, 2].map((turn) => at(turn)?.message) };
};

test('the turns since a turn are counted from there', () => {
  expect(seen(1, 'a', 'b', 'c')).toEqual({
    count: 2,
    latestMessage: 'c',
    said: ['1b', '2c'],
    at: [undefined, 'b', 'c'],
  });
});

test('there are none since the last', () => {
  const nothing = { count: 0, latestMessage: undefined, said: [], at: [undefined, undefined, undefined] };
  expect([seen(2, 'a', 'b'), seen(3, 'a', 'b')]).toEqual([nothing, nothing]);
});

test('turns that the conversation itself has lost stay lost', () => {
  expect(seen(2, 'a', 'b', 'c', 'd', 'e', 'f')).toEqual({
    count: 4,
    latestMessage: 'f',
    said: ['2d', '3e', '4f'],
    at: [undefined, undefined, 'd'],
  });
});
