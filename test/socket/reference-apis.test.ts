import { describe, expect, test } from 'vitest';
import { embeddedDefaults, type EmbeddedOptions } from '../../src/scenario/embedded.ts';
import { getJson, openService, post } from '../support/reference-client.ts';

const { agentId: model, apiKey } = embeddedDefaults;
const facts = 'customerName: Ada\norderNumber: ORD-7';

/** Clients of each API; each keeps the state that its API requires. */
const speakers = {
  'openai-chat': chatSpeaker,
  'openai-responses': responsesSpeaker,
  'anthropic-messages': anthropicSpeaker,
};
type Speaker = (baseUrl: string) => (message: string) => Promise<string>;

function chatSpeaker(baseUrl: string): (message: string) => Promise<string> {
  const messages: object[] = [{ role: 'system', content: facts }];
  return async (content) => {
    messages.push({ role: 'user', content });
    const reply = await ask<{ choices: { message: { content: string } }[] }>(baseUrl, '/v1/chat/completions', {
      model,
      messages,
    });
    const said = reply.choices[0]?.message.content ?? '';
    messages.push({ role: 'assistant', content: said });
    return said;
  };
}

function responsesSpeaker(baseUrl: string): (message: string) => Promise<string> {
  let previous: string | undefined;
  return async (input) => {
    const reply = await ask<Response>(baseUrl, '/v1/responses', {
      model,
      input,
      instructions: facts,
      previous_response_id: previous,
    });
    previous = reply.id;
    return textOf(reply);
  };
}

function anthropicSpeaker(baseUrl: string): (message: string) => Promise<string> {
  const messages: object[] = [];
  return async (content) => {
    messages.push({ role: 'user', content });
    const reply = await ask<{ content: { text: string }[] }>(baseUrl, '/v1/messages', {
      model,
      messages,
      system: facts,
      max_tokens: 100,
    });
    messages.push({ role: 'assistant', content: reply.content });
    return reply.content[0]?.text ?? '';
  };
}

interface Response {
  id: string;
  output: { content: { text: string }[] }[];
}
const textOf = ({ output }: Response): string => output[0]?.content[0]?.text ?? '';

async function ask<Reply>(baseUrl: string, path: string, body: object): Promise<Reply> {
  const { status, text } = await post(baseUrl, { path, body });
  expect([status, text]).toEqual([200, text]);
  return JSON.parse(text) as Reply;
}

describe.each<[string, Speaker]>(Object.entries(speakers))('%s', (name, speaker) => {
  test('has an agent that remembers the conversation, and knows the values in the instructions', async () => {
    const { baseUrl, stats } = await openService();
    const say = speaker(baseUrl);
    expect(await say('Remember this code: QX1')).toBe(
      'I will remember the code QX1 I know: customerName = Ada, orderNumber = ORD-7.',
    );
    expect(await say('Hello')).toMatch(/^Turn 2: you said "Hello". Before that you said "Remember this code: QX1"/);
    expect(await say('Which code did I tell you? How many turns have we had?')).toMatch(
      /^This is turn 3. The code you told me is QX1 /,
    );
    const { messages, byApi } = stats();
    expect([messages.classes.ok, byApi[name as 'openai-chat'].messages.classes.ok]).toEqual([3, 3]);
    expect(byApi['chat-messaging'].messages.received).toBe(0);
  });
});

test('responses continue in a conversation, and a chain may branch off from any response', async () => {
  const { baseUrl, stats } = await openService();
  const { id: conversation } = await ask<{ id: string }>(baseUrl, '/v1/conversations', {});
  await ask(baseUrl, '/v1/responses', { model, conversation, input: 'Remember this code: A1' });
  const recall = { model, conversation: { id: conversation }, input: 'Which code did I tell you?' };
  expect(textOf(await ask(baseUrl, '/v1/responses', recall))).toMatch(/^The code you told me is A1 /);
  expect(stats().byApi['openai-responses'].creates.classes.ok).toBe(1);
  const first = await ask<Response>(baseUrl, '/v1/responses', { model, input: 'Remember this code: B1' });
  const go = (input: string) =>
    ask<Response>(baseUrl, '/v1/responses', { model, input, previous_response_id: first.id });
  await go('Remember this code: B2');
  expect(textOf(await go('Which code did I tell you? How many turns?'))).toMatch(/turn 2. The code you told me is B1 /);
});

test('a conversation that is not stored, or belongs to another agent, cannot be continued', async () => {
  const { baseUrl } = await openService({ agents: [{ id: model }, { id: 'other' }] });
  const { id } = await ask<Response>(baseUrl, '/v1/responses', { model, input: 'Hi', store: false });
  const stored = await ask<Response>(baseUrl, '/v1/responses', { model, input: 'Hi' });
  const body = { model, input: 'Hi', previous_response_id: id };
  const refused = await post(baseUrl, { path: '/v1/responses', body });
  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
    400,
    { error: { code: 'previous_response_not_found', param: 'previous_response_id' } },
  ]);
  const foreign = { ...body, model: 'other', previous_response_id: stored.id };
  expect((await post(baseUrl, { path: '/v1/responses', body: foreign })).status).toBe(400);
});

const bodies = {
  '/v1/chat/completions': { model, messages: [{ role: 'user', content: 'Hi there' }] },
  '/v1/responses': { model, input: 'Hi there' },
  '/v1/messages': { model, max_tokens: 100, messages: [{ role: 'user', content: 'Hi there' }] },
};
const paths = Object.keys(bodies) as (keyof typeof bodies)[];

describe('errors have the format of the API', () => {
  const openai = (type: string, code: string | null) => ({ error: { type, code } });
  const anthropic = (type: string) => ({ type: 'error', error: { type } });
  const cases: [string, object, object, object, string][] = [
    [
      'an unknown key',
      { key: 'nobody' },
      openai('invalid_request_error', 'invalid_api_key'),
      anthropic('authentication_error'),
      '401 unauthorized',
    ],
    [
      'a key of the wrong type',
      { key: embeddedDefaults.wrongTypeApiKey },
      openai('permission_error', 'insufficient_permissions'),
      anthropic('permission_error'),
      '403 forbidden',
    ],
    [
      'an unknown model',
      { over: { model: 'gpt-x' } },
      openai('invalid_request_error', 'model_not_found'),
      anthropic('not_found_error'),
      '404 agent_not_found',
    ],
    [
      'a body without a model',
      { over: { model: '' } },
      openai('invalid_request_error', null),
      anthropic('invalid_request_error'),
      '400 bad_request',
    ],
    [
      'a rate limit',
      { options: { faults: [{ kind: 'rate_limited', retryAfter: '2s' }] } },
      openai('requests', 'rate_limit_exceeded'),
      anthropic('rate_limit_error'),
      '429 rate_limited',
    ],
    [
      'an internal error',
      { options: { faults: [{ kind: 'internal_error' }] } },
      openai('server_error', null),
      anthropic('api_error'),
      '500 server_error',
    ],
    [
      'a provider that fails',
      { options: { faults: [{ kind: 'provider', status: 529 }] } },
      openai('server_error', null),
      anthropic('overloaded_error'),
      '529 server_error',
    ],
  ];
  test.each(cases)('%s', async (_, given, byOpenai, byAnthropic, expected) => {
    const {
      options = {},
      over = {},
      key = apiKey,
    } = given as { options?: EmbeddedOptions; over?: object; key?: string };
    const { baseUrl, stats } = await openService(options);
    for (const path of paths) {
      const { status, text } = await post(baseUrl, { path, key, body: { ...bodies[path], ...over } });
      expect([path, JSON.parse(text)]).toMatchObject([path, path === '/v1/messages' ? byAnthropic : byOpenai]);
      const counted = Object.entries(stats().messages.classes).find(([, count]) => count > 0)?.[0];
      expect(`${String(status)} ${String(counted)}`).toBe(expected);
    }
  });
});

test('the usage is the number of words, and a limit on it cuts the reply', async () => {
  const { baseUrl } = await openService();
  const { usage, choices } = await ask<{ usage: object; choices: object[] }>(baseUrl, '/v1/chat/completions', {
    ...bodies['/v1/chat/completions'],
    max_tokens: 4,
  });
  expect(usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 4, total_tokens: 6 });
  expect(choices).toMatchObject([{ finish_reason: 'length', message: { content: 'Turn 1: you said' } }]);
  expect(await ask(baseUrl, '/v1/messages', { ...bodies['/v1/messages'], max_tokens: 4 })).toMatchObject({
    stop_reason: 'max_tokens',
    usage: { input_tokens: 2, output_tokens: 4 },
  });
  expect(await ask(baseUrl, '/v1/responses', { ...bodies['/v1/responses'], max_output_tokens: 4 })).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    usage: { input_tokens: 2, output_tokens: 4 },
  });
});

test('the number of chunks can be fixed, and reasoning precedes them', async () => {
  const { baseUrl } = await openService({ stream: { events: 30, reasoning: 5 } });
  const { usage, choices } = await ask<{ usage: object; choices: [{ message: object }] }>(
    baseUrl,
    '/v1/chat/completions',
    bodies['/v1/chat/completions'],
  );
  expect(usage).toMatchObject({ completion_tokens: 35, completion_tokens_details: { reasoning_tokens: 5 } });
  expect(choices[0].message).toMatchObject({ reasoning_content: 'well well well well well' });
});

test('models are the agents of the account', async () => {
  const { baseUrl } = await openService();
  const list = async (headers: Record<string, string>) =>
    (await fetch(`${baseUrl}/v1/models`, { headers: { ...headers, connection: 'close' } })).json();
  expect(await list({ authorization: `Bearer ${apiKey}` })).toMatchObject({ object: 'list', data: [{ id: model }] });
  expect(await list({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' })).toMatchObject({
    data: [{ type: 'model', id: model }],
    has_more: false,
  });
  expect(await getJson(`${baseUrl}/v1/models`)).toMatchObject({ error: { code: 'invalid_api_key' } });
});
