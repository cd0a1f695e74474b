import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { givenScenario } from './given-scenario.ts';
import { readCurl } from './read-curl.ts';

const shipped = readFileSync(new URL('../../../scenarios/agent.ts', import.meta.url), 'utf8');

const started = (body: string): string =>
  `curl -X POST h/sessions\ncurl h/chat -d '{"session_id":${body},"text":"Hi you"}'`;
const alone = (ids: string): string => `curl h/chat -d '{${ids}"text":"Hi you"}'`;

test.each([
  ['a number, as created', started('1'), { session_id: 17 }, 'session_id: Number(sessionId)'],
  ['a number, before a session was created', started('1'), undefined, 'session_id: Number(sessionId)'],
  ['a placeholder of a created number', started('"SESSION"'), { session_id: 17 }, 'session_id: Number(sessionId)'],
  ['null, of a created number', started('null'), { session_id: 17 }, 'session_id: Number(sessionId)'],
  ['a text of digits', started('"17"'), { session_id: 17 }, 'session_id: sessionId'],
  ['a number, but created as a word', started('1'), { session_id: 's-1' }, 'session_id: sessionId'],
  ['a text', started('"s-1"'), { session_id: 's-2' }, 'session_id: sessionId'],
])('the id of a created session is sent as the type that the service knows: %s', (_, commands, created, line) => {
  const { text } = givenScenario({ ...readCurl(commands), created }, shipped);
  expect(text).toContain(`${line},`);
});

test.each([
  ["session_id: sessionId === '' ? null : Number(sessionId)", alone('"session_id":null,'), { session_id: 17 }],
  [
    "session_id: sessionId === '' ? Number.parseInt(String(variables.conversationId), 16) : Number(sessionId)",
    alone('"session_id":4,'),
    { session_id: 17 },
  ],
  ["session_id: sessionId === '' ? undefined : Number(sessionId)", alone(''), { session_id: 17 }],
  ['session_id: sessionId || undefined', alone(''), { session_id: 's-17' }],
  ['session_id: sessionId || null', alone('"session_id":null,'), { session_id: 's-17' }],
])('the id in a reply is sent back as its type: %s', (line, command, ids) => {
  const { text } = givenScenario(
    { ...readCurl(command), reply: { json: { reply: 'Yes, of course.', ...ids } } },
    shipped,
  );
  expect(text.replaceAll(/\s+/g, ' ')).toContain(line);
});

test('the number of a session is a text in a stream, a path, a query, a header and a form', () => {
  const json = { delta: 'Yes', session_id: 17 };
  const events = [{ type: '', json, data: JSON.stringify(json) }];
  const streamed = { ...readCurl(alone('')), reply: { format: 'sse' as const, events } };
  expect(givenScenario(streamed, shipped).text).toContain('Number(sessionId)');
  const commands = `curl -X POST h/sessions\ncurl 'h/sessions/1/chat?session_id=1' -H 'X-Session-Id: 1' -d 'session_id=1&text=Hi'`;
  const { text } = givenScenario({ ...readCurl(commands), created: { session_id: 17 } }, shipped);
  expect(text).toContain('/sessions/{{sessionId}}/chat?session_id={{sessionId}}');
  expect(text).not.toContain('Number(sessionId)');
});
