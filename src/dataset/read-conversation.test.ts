import { describe, expect, test } from 'vitest';
import { readConversation } from './read-conversation.ts';
import { countUserTurns, hasRuns, systemText, userTurns } from './conversation.ts';

const say = (role: string, content: unknown = 'x') => ({ role, content });
const read = (...messages: unknown[]) => readConversation({ messages });

describe('a conversation', () => {
  test('is read with its id and language; other fields are left alone', () => {
    const given = { id: 7, language: 'de', score: 1, messages: [{ ...say('user', 'Hallo'), weight: 0 }] };
    expect(readConversation(given)).toEqual({
      id: '7',
      language: 'de',
      messages: [{ role: 'user', content: 'Hallo' }],
    });
  });

  test('may have text parts, newer and older names of roles, and a tool call without text', () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    const call = { role: 'assistant', content: null, tool_calls: [] };
    expect(read(say('developer'), say('user', parts), call, say('function', ''), say('assistant', ''))).toEqual({
      messages: [say('system'), say('user', 'ab'), say('assistant', ''), say('tool', ''), say('assistant', '')],
    });
  });

  test.each([
    [7, 'it is not a JSON object'],
    [[], 'it is not a JSON object'],
    [{}, "it has no 'messages'"],
    [{ messages: [] }, 'it has no messages'],
    [{ messages: [say('assistant')] }, 'it has no user message'],
    [{ messages: [7] }, 'message 1 is not an object'],
    [{ messages: [{ content: 'x' }] }, 'message 1 has no role'],
    [{ messages: [say('human')] }, "message 1 has the unknown role 'human'"],
    [{ messages: [say('__proto__')] }, "message 1 has the unknown role '__proto__'"],
    [{ messages: [say('user'), say('user', ' \n\t')] }, 'message 2 is empty'],
    [{ messages: [say('user', 7)] }, 'message 1 has content that is not text'],
    [{ messages: [say('user', null)] }, 'message 1 has content that is not text'],
    [{ messages: [say('user'), say('assistant', 7)] }, 'message 2 has content that is not text'],
    [{ messages: [say('user', [{ type: 'image_url' }])] }, 'message 1 has content that is not text'],
    [{ messages: [say('user'), say('system')] }, 'message 2 is a system message after other messages'],
    [{ messages: [say('user'), say('tool')] }, 'message 2 is a tool message before the first assistant message'],
  ])('is none: %j', (given, why) => {
    expect(readConversation(given)).toBe(why);
  });
});

describe('the turns of the user', () => {
  test('are user messages; consecutive ones are one turn', () => {
    const messages = ['system', 'user', 'user', 'assistant', 'tool', 'assistant', 'user'] as const;
    const conversation = { messages: messages.map((role, index) => ({ role, content: String(index) })) };
    expect(userTurns(conversation)).toEqual(['1\n\n2', '6']);
    expect([countUserTurns(conversation), hasRuns(conversation), systemText(conversation)]).toEqual([2, true, '0']);
    const plain = { messages: [{ role: 'user', content: 'a' }] } as const;
    expect([countUserTurns(plain), hasRuns(plain), systemText(plain)]).toEqual([1, false, undefined]);
  });
});
