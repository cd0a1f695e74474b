import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { givenScenario } from './given-scenario.ts';
import { isPlaceholder } from './placeholders.ts';
import { readCurl } from './read-curl.ts';

test.each([
  ...['<API Key>', '<token>', '{api_key}', '{{token}}', '%API_KEY%', '[API KEY]', 'YOUR_API_KEY', 'your-token-here'],
  ...['YOUR_OPENAI_API_KEY', 'sk-...', 'sk-xxxx', 'xxx', 'XXXXXXXX', '***', 'API_KEY', 'INSERT_KEY_HERE', 'token'],
])('%s is a placeholder', (text) => {
  expect(isPlaceholder(text)).toBe(true);
});

test.each(['$OPENAI_API_KEY', 'hunter2', 'sk-1a2b3c', 'VF.DM.case', 'abc-123', '{"a":"b"}', 'my-key', 'key-of-x', ''])(
  '%j is a value',
  (text) => {
    expect(isPlaceholder(text)).toBe(false);
  },
);

test('a long text is no placeholder, and is recognized at once', () => {
  expect(isPlaceholder('a_'.repeat(1e5))).toBe(false);
});

const shipped = readFileSync(new URL('../../../scenarios/agent.ts', import.meta.url), 'utf8');
const body = '{"message":"Hi there"}';

test.each([
  [`-H 'Authorization: Bearer <API Key>'`, 'CHAT_LOAD_API_KEY', 'CHAT_LOAD_API_KEY.'],
  [`-H 'X-Api-Key: YOUR_API_KEY'`, 'X_API_KEY', "header: { name: 'X-Api-Key', value: process.env['X_API_KEY'] ?? '' }"],
  [`-H 'Authorization: Token {api_key}'`, 'AUTHORIZATION', "value: `Token ${process.env['AUTHORIZATION'] ?? ''}`"],
  [`-H 'X-Tenant: <tenant>'`, 'X_TENANT', "headers: { 'X-Tenant': process.env['X_TENANT'] ?? '' }"],
  [`-u 'bob:<password>'`, 'CHAT_LOAD_PASSWORD', "password: process.env['CHAT_LOAD_PASSWORD'] ?? ''"],
  [`-b 'sid=<session cookie>'`, 'COOKIE', "Cookie: `sid=${process.env['COOKIE'] ?? ''}`"],
])('the placeholder of %s is missing, and no value', (words, name, line) => {
  const { text, variables, chosen } = givenScenario(readCurl(`curl h/chat ${words} -d '${body}'`), shipped);
  expect(variables.has(name) && variables.get(name)).toBeUndefined();
  expect(chosen.map(([, each]) => each).join()).toContain(`${name} is missing`);
  expect(text).toContain(line);
  expect(text).not.toMatch(/<(?:API|tenant|pass|session)|YOUR_|\{api_key/);
});

test('placeholders of a body and of the query are variables', () => {
  const curl = `curl 'http://h/chat?key=<API Key>' -d '{"message":"<your question>","agentId":"<AGENT_ID>","session_id":"<id>"}'`;
  const { text, variables } = givenScenario(readCurl(curl), shipped);
  expect([...variables]).toEqual([
    ['CHAT_LOAD_API_KEY', undefined],
    ['AGENT_ID', undefined],
  ]);
  expect(text).toContain("agentId: process.env['AGENT_ID'] ?? ''");
});
