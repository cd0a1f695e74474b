import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SeenReply } from './given-api.ts';
import { givenScenario } from './given-scenario.ts';
import { readCurl } from './read-curl.ts';

const shipped = readFileSync(new URL('../../../scenarios/agent.ts', import.meta.url), 'utf8');
const messages = [
  { message_type: 'reasoning_message', reasoning: 'Orders.' },
  { message_type: 'assistant_message', content: 'It is on its way.' },
];
const whole: SeenReply = { json: { messages } };
const streamed: SeenReply = {
  format: 'sse',
  events: messages.map((json) => ({ type: '', json, data: JSON.stringify(json) })),
};

/** Scenario of a command that sends messages with roles. */
function scenarioOf(path: string, reply?: SeenReply, sent: object[] = [{ role: 'user', content: 'Good day' }]) {
  const command = `curl h${path} -d '${JSON.stringify({ messages: sent, stream_steps: false })}'`;
  const { text, chosen } = givenScenario({ ...readCurl(command), reply }, shipped);
  return { text: text.replaceAll(/\s+/g, ' '), chosen: new Map(chosen) };
}

test.each([
  ['/v1/agents/agent-1/messages', undefined],
  ['/letta/v1/agents/agent-1/messages/', whole],
  ['/v1/agents/agent-1/messages/stream', streamed],
  ['/api/talk', whole],
  ['/api/talk', streamed],
])('a service that keeps the history of an agent receives only the new message: %s', (path, reply) => {
  const { text, chosen } = scenarioOf(path, reply);
  expect(text).toContain("({ message }) => ({ messages: [{ role: 'user', content: message }], stream_steps: false })");
  expect(text).not.toContain('history:');
  expect(chosen.get('message')).toBe('body.messages.0.content');
  expect(chosen.get('session')).toBe('none found: all sessions share one agent, which keeps the history');
});

test('earlier messages of the command are not sent again', () => {
  const sent = [
    { role: 'user', content: 'Good day' },
    { role: 'assistant', content: 'Hello' },
    { role: 'user', content: 'And then' },
  ];
  const { text } = scenarioOf('/v1/agents/agent-1/messages', whole, sent);
  expect(text).toContain("messages: [{ role: 'user', content: message }]");
  expect(text).toContain("'And then',");
});

test.each(['/v1/agents/chat', '/v1/rooms/r1/messages', '/agents/agent-1/messages/search'])(
  'the client keeps the history of %s',
  (path) => {
    const { text, chosen } = scenarioOf(path, { json: { reply: 'Yes, of course.' } });
    expect([text.includes("history: 'client'"), chosen.has('session')]).toEqual([true, false]);
  },
);

test.each([
  [
    [...messages, { message_type: 'tool_return_message', content: 'none' }],
    'content of the last item of messages with message_type assistant_message',
  ],
  [[{ text: 'a b' }, { text: 'c d' }], 'messages.*.text'],
  [
    [
      { role: 'user', content: 'Good day' },
      { role: 'user', content: 'Yes, of course.' },
    ],
    'content of the last item of messages',
  ],
])('the line of the reply names what the definition reads', (items, words) => {
  expect(scenarioOf('/api/talk', { json: { messages: items } }).chosen.get('reply')).toBe(words);
});
