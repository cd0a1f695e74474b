import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SeenReply } from './given-api.ts';
import { givenScenario } from './given-scenario.ts';
import { readCurl } from './read-curl.ts';

const shipped = readFileSync(new URL('../../../scenarios/agent.ts', import.meta.url), 'utf8');

/** Scenario of a command whose reply was seen. */
function scenarioOf(curl: string, reply: SeenReply = { json: { reply: 'Yes, of course.' } }) {
  const { text, chosen } = givenScenario({ ...readCurl(curl), reply }, shipped);
  const session = chosen.filter(([part]) => part === 'session').map(([, words]) => words);
  return { text: text.replaceAll(/\s+/g, ' '), session };
}
const send = (body: object, more = ''): string =>
  `curl 'h/ask${more}' -d '${JSON.stringify({ prompt: 'Good day', ...body })}'`;
const chosen = 'variableValues: { conversationId: () => crypto.randomUUID() }';

const names =
  'userId user_id user uid sid conv_id convId customer_id clientId client_id visitor_id contact_id phone phone_number from sender sender_id end_user_id';

test.each(names.split(' ').flatMap((name) => ['u1', null, 'Ada'].map((value) => ({ name, value }))))(
  'the only id of a request is that of the conversation: $name is $value',
  ({ name, value }) => {
    const { text, session } = scenarioOf(send({ [name]: value }));
    expect(text).toMatch(new RegExp(`${name}: (?:sessionId \\|\\| )?variables.conversationId`));
    expect([text.includes(chosen), session]).toEqual([
      true,
      [expect.stringContaining(`body.${name}, a new id per session`)],
    ]);
  },
);

test.each([
  ['an object', { meta: { user: { id: 'u1', name: 'Ada' } } }, "user: { id: variables.conversationId, name: 'Ada' }"],
  [
    'a sender with an id',
    { from: { id: 7, name: 'Ada' } },
    "Number.parseInt(String(variables.conversationId), 16), name: 'Ada'",
  ],
  ['a nested session', { session: { id: 's1' } }, 'session: { id: variables.conversationId }'],
  ['an empty id that no reply replaces', { user_id: '' }, 'user_id: variables.conversationId'],
])('an id is found in %s', (_, body, line) => {
  expect(scenarioOf(send(body)).text).toContain(line);
});

test.each([
  ['session_id: variables.conversationId, user_id: variables.conversationId', { session_id: 's1', user_id: 'u1' }],
  ["session_id: variables.conversationId, user: 'Ada'", { session_id: 's1', user: 'Ada' }],
])('next to the id of a session, persons differ if their value looks like an id: %s', (line, body) => {
  expect(scenarioOf(send(body)).text).toContain(line);
});

test.each([
  ['curl \'h/users/u1/ask\' -d \'{"prompt":"Good day","session_id":"s1","user_id":"u1"}\'', "user_id: 'u1'"],
  [
    'curl \'h/users/u1/ask\' -d \'{"prompt":"Good day","session_id":"s1","user_id":"u2"}\'',
    'user_id: variables.conversationId',
  ],
])('a person whose id is in the path too is the same in all sessions: %s', (command, line) => {
  const { text, session } = scenarioOf(command);
  expect(text).toContain(line);
  const isNamed = session.some((words) => words.startsWith('body.user_id is one person in all sessions'));
  expect(isNamed).toBe(line === "user_id: 'u1'");
});

test('a person in both commands is not the session that the first one creates', () => {
  const commands = `curl -X POST h/users/u1/sessions -d '{}' && curl h/sessions/{id}/ask -d '{"sender":"u1","text":"Good day"}'`;
  const { text } = givenScenario({ ...readCurl(commands), created: { id: 's1' } }, shipped);
  expect([text.includes("createSession: { path: '/users/u1/sessions', body: {}, sessionId: 'id' }"), text]).toEqual([
    true,
    expect.stringContaining("path: '/sessions/{{sessionId}}/ask'"),
  ]);
});

test('the service chooses an id that is null, unless its reply has none', () => {
  const command = send({ session_id: null });
  expect(givenScenario(readCurl(command), shipped).text).toContain('session_id: sessionId || null');
  expect(scenarioOf(command, { json: { reply: 'Yes, of course.' } }).text).toContain(
    'session_id: variables.conversationId',
  );
});

test('an id that replies contain continues the session, and the user is new in each', () => {
  const { text } = scenarioOf(send({ user_id: 'u1' }), { json: { reply: 'Yes, of course.', conversation_id: 'c1' } });
  expect(text).toContain('user_id: variables.conversationId, conversation_id: sessionId || undefined');
});

test.each<[reply: object, body: object, line: string]>([
  [{ meta: { session: { id: 's1' } } }, {}, 'session: { id: sessionId || undefined }'],
  [
    { meta: { session: { id: 's1' } } },
    { meta: { locale: 'en' } },
    "meta: { locale: 'en', session: { id: sessionId || undefined } }",
  ],
  [{ meta: { session: 's1' } }, {}, 'session: sessionId || undefined'],
  [{ meta: { session: 's1' } }, { meta: { locale: 'en' } }, "meta: { locale: 'en', session: sessionId || undefined }"],
  [
    { meta: { session: { id: 's1' } } },
    { meta: { session: { id: null } } },
    'meta: { session: { id: sessionId || null } }',
  ],
  [{ data: { session_id: 's1' } }, {}, 'session_id: sessionId || undefined'],
])('an id below an object of the reply continues the session: %j, after %j', (found, body, line) => {
  const { text } = scenarioOf(send(body), { json: { reply: 'Yes, of course.', ...found } });
  expect(text).toContain(line);
  expect(text).toMatch(/sessionId: '(?:meta\.session(?:\.id)?|data\.session_id)'/);
});

test('names of the authors in a list of messages are no ids', () => {
  const messages = [{ role: 'user', content: 'Good day', from: 'u1' }];
  const { text, session } = scenarioOf(`curl h/ask -d '${JSON.stringify({ messages })}'`);
  expect([text.includes("from: 'u1'"), session]).toEqual([true, []]);
});

test.each([
  ["curl h/ask -H 'X-Session-Id: s1'", "'X-Session-Id': String(variables.conversationId)", 'header X-Session-Id'],
  ["curl h/ask -H 'X-User-Id: ada'", "'X-User-Id': String(variables.conversationId)", 'header X-User-Id'],
  ["curl 'h/ask?v=2&session_id=a'", '/ask?v=2&session_id=${String(variables.conversationId)}`', 'query session_id'],
  ["curl 'h/ask?user=u1'", 'path: ({ variables }) => `/ask?user=${String(variables.conversationId)}`', 'query user'],
  [
    'curl h/v1/sessions/abc-1/text',
    'path: ({ variables }) => `/v1/sessions/${encodeURIComponent(String(variables.conversationId))}/text`',
    'in the path',
  ],
  [
    'curl h/agents/a/sessions/123:detectIntent',
    'sessions/${encodeURIComponent(String(variables.conversationId))}:detectIntent`',
    'in the path',
  ],
])('%s has an id of the session', (command, line, words) => {
  const { text, session } = scenarioOf(`${command} -d '{"prompt":"Good day"}'`);
  expect(text).toContain(line);
  expect([text.includes(chosen), session]).toEqual([true, [`${words}, a new id per session`]]);
});

test.each([['h/sessions/messages'], ['h/conversations/v2/ask'], ['h/threads/current/ask'], ['h/sessions']])(
  'the path of %s has no id',
  (address) => {
    expect(scenarioOf(`curl ${address} -d '{"prompt":"Good day"}'`).text).not.toContain('encodeURIComponent(');
  },
);

test('a path whose other ids the service refuses stays as it is', () => {
  const api = { ...readCurl(`curl h/sessions/s-1/ask -d '{"prompt":"Good day"}'`), keepsPath: true };
  expect(givenScenario(api, shipped).text).toContain("path: '/sessions/s-1/ask'");
});

test.each([
  [send({ tenant: 'acme', n: 3, model: 'm', user: 'user' }, '?lang=en'), 'body.tenant, body.n, body.user, query lang'],
  ['curl h/rooms/r1 -b \'a=b\' -d \'{"prompt":"Good day"}\'', 'Cookie, path'],
])('a request without an id names what all sessions share: %s', (curl, same) => {
  expect(scenarioOf(curl).session).toEqual([`none found: all sessions send the same ${same}`]);
});

test('a request of only a message names no session', () => {
  expect(scenarioOf(send({})).session).toEqual([expect.stringContaining('the request names no session')]);
});

test('a request that was refused shows no reply, and the line names the status', () => {
  const { chosen } = givenScenario({ ...readCurl(send({})), failure: '404' }, shipped);
  expect(chosen.find(([part]) => part === 'reply')?.[1]).toContain('the request was answered with 404');
});
