import { describe, expect, test } from 'vitest';
import { readEvents, requestOf, saying, talkBy, wholeReply } from '../../../test/support/stream-events.ts';
import { gemini } from './gemini.ts';

const { converse } = talkBy(gemini);
const vertex = 'https://l-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/google';

describe('the path of a message', () => {
  test.each([
    ['names the model', { agentId: 'gemini-x' }, '/v1beta/models/gemini-x:generateContent'],
    [
      'and another method for streams',
      { agentId: 'm', stream: true },
      '/v1beta/models/m:streamGenerateContent?alt=sse',
    ],
    [
      'names a tuned model with its collection',
      { agentId: 'tunedModels/a b' },
      '/v1beta/tunedModels/a%20b:generateContent',
    ],
    ['repeats no version', { agentId: 'm', baseUrl: 'http://h/v1beta' }, '/models/m:generateContent'],
    ['nor the version of Vertex AI', { agentId: 'm', baseUrl: vertex }, '/models/m:generateContent'],
    ['is the one of the scenario', { agentId: 'a/b', messagesPath: '/x/{model}' }, '/x/a%2Fb'],
  ])('%s', (_, target, path) => {
    expect(requestOf(converse(target), saying('Hello')).path).toBe(path);
  });
});

describe('the body of a message', () => {
  test('has instructions next to the contents, unless the scenario has its own, and the fields of the scenario', () => {
    const instructed = { instructions: 'Serve {{name}}.', messageBody: { generationConfig: { maxOutputTokens: 5 } } };
    const said = saying('Hello', { variableValues: '{"name":"Ada"}' });
    expect(requestOf(converse(instructed), said).body).toEqual({
      generationConfig: { maxOutputTokens: 5 },
      systemInstruction: { parts: [{ text: 'Serve Ada.' }] },
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
    });
  });

  test('has the instructions of the scenario, and no other contents', () => {
    const systemInstruction = { parts: [{ text: 'Be brief.' }] };
    const own = { instructions: 'Serve.', messageBody: { contents: [], systemInstruction, tools: [] } };
    expect(requestOf(converse(own), saying('Hello')).body).toEqual({
      systemInstruction,
      tools: [],
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
    });
  });
});

test('an error inside a stream asks for its wait as a refusal does', () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '33.2s' }];
  const error = { code: 429, message: 'Quota exceeded.', status: 'RESOURCE_EXHAUSTED', details };
  const { verdict } = readEvents(converse({ stream: true }), [{ error }]);
  expect(verdict).toMatchObject({ outcome: 'rate_limited', retryAfter: '34' });
});

test.each([
  [{ message: 'API key not valid. Please pass a valid API key.' }, 'unauthorized'],
  [{ message: 'Refused.', details: [{ reason: 'API_KEY_INVALID' }] }, 'unauthorized'],
  [{ message: 'Invalid value.' }, 'bad_request'],
])('a refusal with status 400 and %j is %s', (error, outcome) => {
  expect(converse().read(wholeReply(400, { error })).outcome).toBe(outcome);
});
