import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isServed, protocolNames, protocols, type ProtocolName } from '../../protocol/registry/registry.ts';
import type { GivenApi } from './given-api.ts';
import { givenScenario } from './given-scenario.ts';
import { recognizeApi } from './known-api.ts';
import { readCurl } from './read-curl.ts';

const target = {
  agentId: 'agent-1',
  baseUrl: 'http://h.example',
  messagesPath: null,
  messageBody: {},
  instructions: 'Be brief.',
  auth: 'key',
  conversation: 'previous_response',
  createSession: { path: '/', body: {}, sessionIdFrom: 'id' },
} as const;

/** A request of a protocol, as its own client sends it. */
function requestOf(name: ProtocolName, stream: boolean): GivenApi {
  const { open, authorize, fixedMessages } = protocols[name].protocol;
  const { body, route } = open({ ...target, instructions: fixedMessages === true ? null : target.instructions, stream })
    .converse('session-1')
    .request({ message: 'Where is it?', variableValues: '' });
  const url = new URL(route.path, target.baseUrl);
  return {
    message: {
      method: 'POST',
      url,
      headers: Object.entries(authorize('key')),
      body: JSON.parse(body) as Record<string, unknown>,
    },
    notes: [],
  };
}

const cases = protocolNames.filter(isServed).flatMap((name) => {
  const { transport, wholeOnly, streamsOnly } = protocols[name].protocol;
  const streams = [...(streamsOnly === true ? [] : [false]), ...(wholeOnly === true ? [] : [true])];
  return transport === undefined ? streams.map((stream) => [name, stream] as const) : [];
});

test.each(cases)('a request of %s (streamed: %s) is recognized by its path and body', (name, stream) => {
  const api = requestOf(name, stream);
  const { fixedMessages } = protocols[name].protocol;
  const namesAgent = `${api.message.url.href}${JSON.stringify(api)}`.includes('agent-1');
  const known = recognizeApi(api, api.message.url);
  expect(known).toMatchObject({ protocol: name, stream, message: 'Where is it?' });
  expect([known?.agentId, new URL(known?.baseUrl ?? '').host]).toEqual([
    namesAgent ? 'agent-1' : undefined,
    'h.example',
  ]);
  if (fixedMessages !== true) expect(JSON.stringify(known?.target) + JSON.stringify(api)).toContain('Be brief.');
  // With this target the protocol sends the same request again.
  expect(known?.target['messageBody'] ?? {}).toEqual(
    expect.not.objectContaining({ messages: expect.anything() as unknown }),
  );
});

const shipped = readFileSync(new URL('../../../scenarios/agent.ts', import.meta.url), 'utf8');

test.each([
  ['https://bot.example:8443/chat', "allowHosts: ['bot.example:8443']"],
  ['http://localhost:8000/chat', undefined],
])('the scenario of %s allows its host, unless it is this machine', (url, line) => {
  const { text } = givenScenario(readCurl(`curl ${url} -d '{"message":"Hi"}'`), shipped);
  expect(text.match(/allowHosts: .*\]/)?.[0]).toBe(line);
});

test('the scenario keeps braces and quotes of the request', () => {
  const curl = `curl http://h/chat -H 'X-A: {{x}}' -d '{"message":"Say \\"{{hi}}\\" & it\\u0027s","a-b":{"c":[1,null]}}'`;
  const { text } = givenScenario(readCurl(curl), shipped);
  expect(text).toContain(String.raw`'Say "\\{{hi}}" & it\'s',`);
  expect(text).toContain(String.raw`headers: { 'X-A': '\\{{x}}' }`);
  expect(text).toContain("body: ({ message }) => ({ message, 'a-b': { c: [1, null] } })");
});

test.each([
  ['{"message":"Hi"}', "reply: { text: 'reply' }", 'body: ({ message }) => ({ message })'],
  ['{"message":"Hi","sender":"u-1"}', "reply: { text: 'reply' }", 'sender: variables.conversationId'],
])('the sender of %s is a session, that of a reply is not', (body, reply, request) => {
  const api = { ...readCurl(`curl h/chat -d '${body}'`), reply: { json: { reply: 'Yes', sender: 'bot' } } };
  const { text } = givenScenario(api, shipped);
  expect([text, text]).toEqual([expect.stringContaining(reply), expect.stringContaining(request)]);
});

test('the message is the text among the parts of the last message', () => {
  const parts = '[{"type":"text","text":"What is it?"},{"type":"image_url","image_url":{"url":"http://x/y"}}]';
  const { text } = givenScenario(
    readCurl(`curl h/chat -d '{"messages":[{"role":"user","content":${parts}}]}'`),
    shipped,
  );
  expect(text).toContain("{ type: 'text', text: content }, { type: 'image_url', image_url: { url: 'http://x/y' } }");
  expect(text).toContain("'What is it?',");
});

test('the place of the text is found in a stream of thousands of events', () => {
  const events = Array.from({ length: 4000 }, (_, at) => ({ type: '', data: '', json: { at, delta: 'It ' } }));
  const api = { ...readCurl(`curl h/chat -d '{"message":"Hi"}'`), reply: { format: 'sse' as const, events } };
  expect(givenScenario(api, shipped).text).toContain("text: 'delta'");
});

const said = (json: object) => ({ reply: { json } });

test.each([
  [
    "curl 'http://h/get?msg=Hi'",
    said({ reply: 'Yes' }),
    "method: 'GET'",
    'path: ({ message }) => `/get?${new URLSearchParams({ msg: message })}`',
  ],
  [
    "curl -G h/get --data-urlencode 'q=Where is it?' -d lang=en",
    said({ reply: 'Yes' }),
    "new URLSearchParams({ lang: 'en', q: message })",
    'method',
  ],
  [
    "curl 'h/ask?question=Hi&session_id=s-1'",
    said({ reply: 'Yes' }),
    '({ message, variables }) => `/ask?${new URLSearchParams({ question: message, session_id: String(variables.conversationId) })}`',
    'variableValues: { conversationId',
  ],
  [
    "curl 'h/ask?question=Hi&session_id='",
    said({ reply: 'Yes', session_id: 's-1' }),
    '({ message, sessionId }) => `/ask?${new URLSearchParams({ question: message, session_id: sessionId })}`',
    "sessionId: 'session_id'",
  ],
  [
    "curl 'h/ask?question=Hi'",
    said({ reply: 'Yes', session_id: 's-1' }),
    '({ message, sessionId }) => `/ask?${new URLSearchParams({ question: message, ...(sessionId && { session_id: sessionId }) })}`',
    "sessionId: 'session_id'",
  ],
  [
    "curl 'h/ask?question=Hi&key=sk-12345678901234567890'",
    said({ reply: 'Yes' }),
    "`/ask?key=${encodeURIComponent(process.env['CHAT_LOAD_API_KEY'] ?? '')}&${new URLSearchParams({ question: message })}`",
    '({ message }) =>',
  ],
  [
    "curl h/chat -d 'msg=Hi&user_id=7'",
    said({ reply: 'Yes' }),
    'body: ({ message, variables }) => String(new URLSearchParams({ msg: message, user_id: String(variables.conversationId) }))',
    "headers: { 'Content-Type': 'application/x-www-form-urlencoded' }",
  ],
  [
    "curl -X POST h/sessions -d '{}' && curl -X POST 'h/sessions/s-1/ask?text=Hi'",
    { ...said({ reply: 'Yes' }), created: { id: 's-1' } },
    '({ message, sessionId }) => `/sessions/${encodeURIComponent(sessionId)}/ask?${new URLSearchParams({ text: message })}`',
    "sessionId: 'id'",
  ],
  [
    "curl h/ask -H 'Content-Type: text/plain' -H 'X-Session-Id: s-1' -d 'Where is it?'",
    said({ reply: 'Yes' }),
    'body: ({ message }) => message',
    "({ 'Content-Type': 'text/plain', 'X-Session-Id': String(variables.conversationId) })",
  ],
  [
    "curl 'h/ask?session_id=s-1' -H 'Content-Type: text/plain' -d 'Where is it?'",
    said({ reply: 'Yes' }),
    '`/ask?session_id=${String(variables.conversationId)}`',
    'body: ({ message }) => message',
  ],
  [
    `curl h/ask -H 'Content-Type: application/json' -d '"Where is it?"'`,
    said({ reply: 'Yes' }),
    'body: ({ message }) => JSON.stringify(message)',
    "path: '/ask'",
  ],
  [
    "curl h/run -F 'message=Hi;type=text/plain' -F session_id=s-1 --form-string 'a=@b;c'",
    said({ reply: 'Yes' }),
    "Object.entries({ message, session_id: String(variables.conversationId), a: '@b;c' })",
    "headers: { 'Content-Type': 'multipart/form-data; boundary=",
  ],
  [
    `curl -X POST 'h/apps/a/users/u-1/sessions/s-1?v=2' -d '{"state":{"id":"s-1"}}' && curl h/run -d '{"sessionId":"s-1","text":"Hi"}'`,
    { ...said({ reply: 'Yes' }), created: { id: 's-1' } },
    "createSession: { path: '/apps/a/users/u-1/sessions/{{sessionId}}?v=2', body: ({ sessionId }) => ({ state: { id: sessionId } })",
    "sessionId: '{{uuid}}'",
  ],
  [
    `curl -X POST -u apikey:k-1 'h/sessions?version=1&api_key=k-1' && curl -u apikey:k-1 'h/sessions/{session_id}/ask' -d '{"text":"Hi"}'`,
    { ...said({ reply: 'Yes' }), created: { session_id: 's-1' } },
    "path: () => `/sessions?version=1&api_key=${encodeURIComponent(process.env['CHAT_LOAD_API_KEY'] ?? '')}`",
    "user: 'apikey'",
  ],
  [
    `curl h/chat -d '{"id":"7f1e0c5e-5f0f-4f3e-9a1c-0e4bb5d0f0aa","message":{"id":"0b8f0c5e-5f0f-4f3e-9a1c-0e4bb5d0f0bb","text":"Hi"}}'`,
    said({ reply: 'Yes' }),
    '({ id: variables.conversationId, message: { id: crypto.randomUUID(), text: message } })',
    'variables',
  ],
])('the message of %s is sent where the command has it', (curl, seen, one, other) => {
  const { text } = givenScenario({ ...readCurl(curl), ...seen }, shipped);
  const plain = text.replaceAll(/\s+/g, ' ').replaceAll(', }', ' }');
  expect([plain, plain]).toEqual([expect.stringContaining(one), expect.stringContaining(other)]);
});

test('the id of a path that no operation creates differs between sessions', () => {
  const message = {
    method: 'POST',
    url: new URL('http://h/rooms/session/ask'),
    headers: [],
    body: { text: 'Good day' },
  };
  const { text } = givenScenario({ message, sessionSegment: 1, notes: [] }, shipped);
  expect(text).toContain('`/rooms/${encodeURIComponent(String(variables.conversationId))}/ask`');
});
