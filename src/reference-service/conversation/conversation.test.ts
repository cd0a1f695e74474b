import { describe, expect, test } from 'vitest';
import { StoredConversation } from './conversation.ts';

const createdAt = '2026-01-01T00:00:00.000Z';

function conversationOf(count: number, limits: { turns?: number; characters?: number } = {}): StoredConversation {
  const conversation = new StoredConversation({ turns: 1000, characters: 1e9, ...limits });
  for (let turn = 1; turn <= count; turn++)
    conversation.add({ message: `message ${String(turn)}`, response: 'ok', createdAt });
  return conversation;
}

const numbers = (conversation: StoredConversation): number[] => conversation.remembered().map(({ turn }) => turn);
const latest = (conversation: StoredConversation, count: number): number[] =>
  (JSON.parse(`[${conversation.latest(count)}]`) as { turn: number }[]).map(({ turn }) => turn);

describe('a conversation', () => {
  test('keeps its turns in order', () => {
    const conversation = conversationOf(3);
    expect(conversation.count).toBe(3);
    expect(conversation.latestMessage).toBe('message 3');
    expect(conversation.at(2)).toEqual({ turn: 2, message: 'message 2', response: 'ok', createdAt });
    expect([conversation.at(0), conversation.at(4), conversation.at(-1)]).toEqual([undefined, undefined, undefined]);
    expect(numbers(conversation)).toEqual([1, 2, 3]);
  });

  test('beyond its limit forgets the oldest turns but the first', () => {
    const conversation = conversationOf(10, { turns: 4 });
    expect(numbers(conversation)).toEqual([1, 8, 9, 10]);
    expect([conversation.count, conversation.forgotten]).toEqual([10, 6]);
    expect([1, 2, 7, 8, 10, 11].map((turn) => conversation.at(turn)?.message)).toEqual([
      'message 1',
      undefined,
      undefined,
      'message 8',
      'message 10',
      undefined,
    ]);
  });

  test('is bounded in characters too, and counts them', () => {
    const conversation = conversationOf(100, { characters: 1000 });
    expect(conversation.characters).toBeLessThanOrEqual(1000);
    expect(conversation.characters).toBe(
      JSON.stringify(conversation.remembered()).length - 1 - numbers(conversation).length,
    );
    expect(numbers(conversation)).toEqual([
      1,
      ...numbers(conversation)
        .slice(1)
        .map((_, i, all) => 101 - all.length + i),
    ]);
  });

  test('returns its latest turns, without a gap', () => {
    expect(latest(conversationOf(0), 5)).toEqual([]);
    expect(latest(conversationOf(1), 5)).toEqual([1]);
    expect(latest(conversationOf(3), 0)).toEqual([]);
    expect(latest(conversationOf(3), 2)).toEqual([2, 3]);
    expect(latest(conversationOf(3), 3)).toEqual([1, 2, 3]);
    expect(latest(conversationOf(3), 9)).toEqual([1, 2, 3]);
    expect(latest(conversationOf(10, { turns: 4 }), 9)).toEqual([8, 9, 10]);
  });
});
