import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { givenScenario } from './given-scenario.ts';
import { readCurl } from './read-curl.ts';

const shipped = readFileSync(new URL('../../../scenarios/agent.ts', import.meta.url), 'utf8');

/** Scenario of two commands, of which the first one was answered. */
function scenarioOf(create: string, message: string, created?: unknown) {
  const api = { ...readCurl(`${create}\n${message}`), created };
  return givenScenario(api, shipped);
}
const hi = `-d '{"text":"Hi there"}'`;
const start = "curl h/bots/my-bot/start -d '{}'";

test.each([
  ['the path', `curl h/sessions/tb1/next ${hi}`, { sessionId: 'tb2' }, "path: '/sessions/{{sessionId}}/next'"],
  ['the path, unseen', `curl h/sessions/tb1/next ${hi}`, undefined, "path: '/sessions/{{sessionId}}/next'"],
  ['the path, by its form', `curl h/v1/x/tb1 ${hi}`, { run: { id: 'tb2' } }, "path: '/v1/x/{{sessionId}}'"],
  ['the path, by a variable', `curl h/x/$ID/next ${hi}`, undefined, "path: '/x/{{sessionId}}/next'"],
  ['the path, by a placeholder', `curl 'h/x/<session id>/next' ${hi}`, undefined, "path: '/x/{{sessionId}}/next'"],
  ['a header', `curl h/next -H 'X-Session-Id: s-1' ${hi}`, undefined, "headers: { 'X-Session-Id': '{{sessionId}}' }"],
  ['a header, by its form', `curl h/next -H 'X-Run: r_12' ${hi}`, { id: 'r_34' }, "{ 'X-Run': '{{sessionId}}' }"],
  ['the query', `curl 'h/next?v=2&session=s1' ${hi}`, undefined, "path: '/next?v=2&session={{sessionId}}'"],
  ['the body', `curl h/next -d '{"text":"Hi","session_key":"k1"}'`, undefined, 'session_key: sessionId'],
  ['the body, by its form', `curl h/next -d '{"text":"Hi","ref":"k_1"}'`, { id: 'k_2' }, 'ref: sessionId'],
  ['the query as sid', `curl 'h/talk?sid=1' ${hi}`, { sid: 7 }, "path: '/talk?sid={{sessionId}}'"],
  ['the query as the reply names it', `curl 'h/talk?id=k-abc' ${hi}`, { id: 7 }, "path: '/talk?id={{sessionId}}'"],
  [
    'a header as a token',
    `curl h/next -H 'X-Conversation-Token: ct_1_abcdef' ${hi}`,
    { conversation: { token: 'ct_2_abcdef', createdAt: 'x' } },
    "headers: { 'X-Conversation-Token': '{{sessionId}}' }",
  ],
])('the id of a created session is in %s', (_, message, created, line) => {
  const { text, variables } = scenarioOf(start, message, created);
  expect(text).toContain(line);
  expect(text).toContain("path: '/bots/my-bot/start'");
  expect([...variables]).toEqual([]);
});

test.each([
  [{ id: 'r_1', meta: { session: { id: 's_1' } } }, 'meta.session.id'],
  [{ id: 'r_1', meta: { session: 's_1' } }, 'meta.session'],
  [{ id: 'r_1', data: { conversation: { uuid: 's_1', topic: 'x' } } }, 'data.conversation.uuid'],
  [{ data: { id: 's_1' } }, 'data.id'],
  [{ id: 's_1', conversation: { token: 't_1' } }, 'conversation.token'],
])('the id of the session is the one below the session: %j', (created, at) => {
  const { text } = scenarioOf(start, `curl h/next -d '{"text":"Hi","session_id":"s_0"}'`, created);
  expect(text).toContain(`sessionId: '${at}'`);
  expect(text).toContain('session_id: sessionId');
});

test('the id is the variable that takes the output of the first command', () => {
  const create = `ID=$(curl -s -X POST h/start | jq -r .id)`;
  const { text } = scenarioOf(create, `curl "h/next?ref=$ID" -d "{\\"text\\":\\"Hi\\",\\"of\\":\\"$ID\\"}"`);
  expect(text).toContain("path: '/next?ref={{sessionId}}'");
  expect(text).toContain('of: sessionId');
});

test('versions and fixed parts of a path are no ids', () => {
  const { text, chosen } = scenarioOf(start, `curl h/v1/chat/completions2 ${hi}`, { id: 'a1' });
  expect(text).toContain("path: '/v1/chat/completions2'");
  expect(chosen.map(([, words]) => words).join()).toContain('no request names it');
});

test('the key of a session is its id in the reply', () => {
  const { text } = scenarioOf(start, `curl h/next -H 'X-Key: vfs_1' ${hi}`, { sessionKey: 'vfs_2', expiresIn: 3600 });
  expect(text).toContain("sessionId: 'sessionKey'");
  expect(text).toContain("'X-Key': '{{sessionId}}'");
});

test.each([
  ['sid', { sid: 7 }],
  ['conversation.token', { conversation: { token: 'ct_2_abcdef' }, user: { id: 'u-1' } }],
  ['data.session.key', { data: { session: { key: 'k-2' } } }],
  ['session.id', { session: { token: 't-2', id: 's-2' } }],
  ['id', { id: 's-2', token: 't-2' }],
])('the id of a created session is at %s', (path, created) => {
  const { text } = scenarioOf(start, `curl 'h/next?sid=s-1' ${hi}`, created);
  expect(text).toContain(`sessionId: '${path}'`);
});

const uuid = (digit: number): string => `${String(digit).repeat(8)}-0000-4000-8000-000000000000`;

test.each([
  ['the id of a person that the reply repeats', { userId: 'u1', session_id: 's-1' }, { id: 's-42', userId: 'u1' }],
  ['the id of an agent that the reply repeats', { agent_id: 'a7', session_id: 's-1' }, { id: 's-42', agent_id: 'a7' }],
  ['another id of the same form', { request: uuid(1), session_id: uuid(2) }, { id: uuid(3) }],
  ['the id of a person of the same form', { userId: uuid(1), run: uuid(2) }, { id: uuid(3) }],
])('%s is not taken for the id of a created session', (_, ids, created) => {
  const { text } = scenarioOf(start, `curl h/next -d '${JSON.stringify({ ...ids, text: 'Hi there' })}'`, created);
  const [first, last] = Object.keys(ids);
  expect(text).toContain(`${String(last)}: sessionId`);
  expect(text).not.toContain(`${String(first)}: sessionId`);
});

test.each([
  [
    'header',
    `curl h/next -H 'X-Person: ${uuid(1)}' -H 'X-Session-Id: ${uuid(2)}' ${hi}`,
    "'X-Session-Id': '{{sessionId}}'",
  ],
  ['parameter', `curl 'h/next?person=${uuid(1)}&session=${uuid(2)}' ${hi}`, '&session={{sessionId}}'],
  ['segment', `curl h/users/u1/sessions/s-1/next ${hi}`, "path: '/users/u1/sessions/{{sessionId}}/next'"],
])('the %s of another id is not that of a created session', (_, message, line) => {
  const { text } = scenarioOf(start, message, { id: message.includes('u1') ? 's-42' : uuid(3), userId: 'u1' });
  expect(text).toContain(line);
});
