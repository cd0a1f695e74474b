import { expect, test } from 'vitest';
import { requestOf, saying, talkBy } from '../../../test/support/stream-events.ts';
import { azureOpenai } from './azure-openai.ts';

const { converse } = talkBy(azureOpenai);
const dated = '/openai/deployments/{model}/chat/completions?api-version=2024-10-21';

test.each([
  ['is the v1 path', {}, '/openai/v1/chat/completions'],
  ['does not repeat the end of the base URL', { baseUrl: 'https://h/openai/v1/' }, '/chat/completions'],
  ['nor a part of it', { baseUrl: 'https://h/openai' }, '/v1/chat/completions'],
  [
    'names the deployment if the scenario requires that',
    { agentId: 'gpt x', messagesPath: dated },
    '/openai/deployments/gpt%20x/chat/completions?api-version=2024-10-21',
  ],
])('the path of a message %s', (_, target, path) => {
  expect(requestOf(converse(target), saying('Hello')).path).toBe(path);
});
