import { jsonResponse, type Recipe } from './recipe.ts';

const message = (id: string, userId: string, createdAt: string, payload: object): object => ({
  id,
  userId,
  conversationId: 'c-1',
  createdAt: `2026-01-05T10:00:${createdAt}Z`,
  payload: { type: 'text', ...payload },
});

const question = message('m-1', 'u-1', '01.000', { text: 'Where is it?' });

export const botpress: Recipe = {
  name: 'botpress',
  title: 'Botpress',
  docs: 'https://botpress.com/docs/api-reference/chat-api/introduction',
  text: 'The Chat API; the id of the webhook is `agentId`. A session creates a user, whose key is the `x-user-key` of its requests, and a conversation; results never contain the key. A message is only acknowledged: the list of messages is polled every 100 ms until it has a later one of the bot, so that latencies are known up to this interval. If the service limits requests, lengthen `every`. Its first message completes the reply: for a bot that sends several, correct `done`. Pass both commands to `init`, first the one that creates the user.',
  curl: `curl -X POST https://chat.botpress.cloud/WEBHOOK/users -H 'Content-Type: application/json' -d '{}'
curl -X POST https://chat.botpress.cloud/WEBHOOK/messages -H 'x-user-key: USER_KEY' -H 'Content-Type: application/json' \\
  -d '{"conversationId": "CONVERSATION", "payload": {"type": "text", "text": "Where is my order?"}}'`,
  definition: (body, creation) => `type Message = { userId: string; createdAt: string; payload: { text?: string } };
type Reply = { message?: Message; messages?: Message[] };
const headers = { 'x-user-key': '{{values.key}}' };
const answers = ([{ message: sent } = {}, ...polls]: Reply[]) =>
  (polls.at(-1)?.messages ?? []).filter((each) => each.userId !== sent?.userId && each.createdAt > (sent?.createdAt ?? ''));

defineProtocol({
  name: 'botpress',
  createSession: [
    { path: '/{{agentId}}/users', body: ${creation}, values: { key: 'key' } },
    { path: '/{{agentId}}/conversations', headers, body: {}, sessionId: 'conversation.id' },
  ],
  message: { path: '/{{agentId}}/messages', headers, body: ${body} },
  reply: {
    then: {
      poll: {
        request: (_, { agentId, sessionId }) => ({ path: [agentId, 'conversations', sessionId, 'messages'] }),
        every: '100ms',
        done: (replies: Reply[]) => answers(replies).length > 0,
        text: (replies: Reply[]) => answers(replies).map(({ payload }) => payload.text ?? '').reverse().join('\\n'),
      },
    },
  },
})`,
  message: { paths: ['/{agentId}/messages'], keys: ['conversationId', 'payload'] },
  creation: { paths: ['/{agentId}/users'], keys: [] },
  needsCreation: true,
  usesKeyOfCreation: true,
  computed: { conversationId: 'sessionId', 'payload.text': 'message' },
  messageAt: 'payload.text',
  streams: () => false,
  created: [
    jsonResponse({ user: { id: 'u-1' }, key: 'a-key-of-the-user' }, 201),
    jsonResponse({ conversation: { id: 'c-1' } }, 201),
  ],
  acknowledged: jsonResponse({ message: question }, 201),
  expected: 'It is on its way.\nAnything else?',
  whole: {
    reply: jsonResponse({
      messages: [
        message('m-3', 'b-1', '02.500', { text: 'Anything else?' }),
        message('m-2', 'b-1', '02.000', { text: 'It is on its way.' }),
        question,
        message('m-0', 'b-1', '00.500', { text: 'Hello!' }),
      ],
      meta: {},
    }),
    error: {
      ...jsonResponse({ code: 401, type: 'Unauthorized', message: 'Invalid user key' }, 401),
      outcome: 'unauthorized',
    },
  },
};
