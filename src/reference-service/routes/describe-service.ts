import { faultTable } from '../../scenario/embedded-faults.ts';
import { kindNotes } from '../../scenario/embedded-kinds.ts';
import { sabotageTable } from '../../scenario/embedded-sabotage.ts';
import { messagesPath, sessionsPath } from '../../protocol/chat-messaging/api.ts';
import { servedApis } from '../apis/served-apis.ts';
import { conversationsPath } from '../apis/openai-responses/serve-conversation.ts';

/** What can be asked of the service, for `GET /` and the docs. `body` is an example of what is posted. */
export const serviceRoutes = [
  {
    method: 'GET',
    path: '/',
    meaning: 'This: routes, and the kinds of faults and sabotage',
  },
  {
    method: 'POST',
    path: sessionsPath,
    meaning: 'Creates a session: 201 with its id in `data.sessionId`; needs the key as `Authorization: Bearer KEY`',
    body: { agentId: 'agent-support' },
  },
  {
    method: 'POST',
    path: messagesPath,
    meaning: 'Answers a message: 200 with the text in `data.response`; needs the key',
    body: {
      agentId: 'agent-support',
      sessionId: 'ID',
      message: 'Where is my order?',
      variableValues: { customerName: 'Ada', orderNumber: 'ORD-1' },
    },
  },
  {
    method: 'POST',
    path: servedApis['openai-chat'].path,
    meaning:
      "OpenAI's chat completions, whole or streamed; `model` is the agent, and the request holds the whole conversation",
    body: { model: 'agent-support', messages: [{ role: 'user', content: 'Where is my order?' }], stream: false },
  },
  {
    method: 'POST',
    path: servedApis['openai-responses'].path,
    meaning: "OpenAI's responses, whole or streamed; `previous_response_id` or `conversation` says what they continue",
    body: { model: 'agent-support', input: 'Where is my order?', stream: false },
  },
  {
    method: 'POST',
    path: conversationsPath,
    meaning: 'Creates a conversation for responses: its id in `id`',
    body: {},
  },
  {
    method: 'POST',
    path: servedApis['anthropic-messages'].path,
    meaning: "Anthropic's messages, whole or streamed; the key may come as `x-api-key`",
    body: {
      model: 'agent-support',
      max_tokens: 300,
      messages: [{ role: 'user', content: 'Where is my order?' }],
      stream: false,
    },
  },
  {
    method: 'GET',
    path: '/v1/models',
    meaning: "The agents of the key's account, as OpenAI lists models, or Anthropic where `anthropic-version` is sent",
  },
  {
    method: 'GET',
    path: '/stats',
    meaning: 'What the service did: counts, latency, connections, queue; only from this machine',
  },
  {
    method: 'GET',
    path: '/ledger/ID',
    meaning: 'The turns that a session remembers; only from this machine',
  },
] as const;

/** The description that the service gives of itself. */
export function describeService() {
  return {
    service: 'the reference service of chat-load',
    order: 'Messages of one session are answered one after the other, in order of arrival; sessions side by side.',
    config:
      'chat-load serve --config FILE, or `embedded` of a scenario: { "latency": "200ms", "faults": [...], "sabotage": [...] }',
    when: 'Each fault and sabotage takes one of share (0 to 1), every (n-th) and first (n), and window { from, to } since the start.',
    routes: serviceRoutes,
    faults: kindNotes(faultTable),
    sabotage: kindNotes(sabotageTable),
  };
}
