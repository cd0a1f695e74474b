import { jsonResponse, type Recipe } from './recipe.ts';

const bot = { type: 'message', from: { id: 'my-bot' }, conversation: { id: 'c-1' } };

export const directLine: Recipe = {
  name: 'direct-line',
  title: 'Direct Line (Azure Bot Service, Copilot Studio)',
  docs: 'https://learn.microsoft.com/en-us/azure/bot-service/rest-api/bot-framework-rest-direct-line-3-0-concepts',
  text: 'The key is a secret of the channel. A token belongs to one conversation: with one as the key, all sessions share that conversation, which `try` shows. A message is answered with its id; the reply is a later activity of the conversation with that id in `replyToId`, and is polled every 100 ms: latencies are known up to this interval. If the service limits requests, lengthen `every`. The first message of the bot completes the reply: for a bot that sends several, correct `done`. Pass both commands to `init`, first the one that starts the conversation.',
  curl: `curl -X POST https://directline.botframework.com/v3/directline/conversations \\
  -H "Authorization: Bearer $DIRECT_LINE_SECRET" -H 'Content-Type: application/json' -d '{}'
curl -X POST https://directline.botframework.com/v3/directline/conversations/CONVERSATION/activities \\
  -H "Authorization: Bearer $DIRECT_LINE_SECRET" -H 'Content-Type: application/json' \\
  -d '{"type": "message", "from": {"id": "user-1"}, "text": "Where is my order?"}'`,
  definition: (body, creation) => `type Activity = { type: string; replyToId?: string; text?: string };
type Reply = { id?: string; watermark?: string; activities?: Activity[] };
const answers = ([ack, ...polls]: Reply[]) =>
  polls.flatMap(({ activities = [] }) => activities.filter((each) => each.type === 'message' && each.replyToId === ack?.id));

defineProtocol({
  name: 'direct-line',
  createSession: { path: '/v3/directline/conversations', body: ${creation}, sessionId: 'conversationId' },
  message: {
    path: '/v3/directline/conversations/{{sessionId}}/activities',
    body: ${body},
  },
  reply: {
    then: {
      poll: {
        every: '100ms',
        request: (replies: Reply[], { sessionId }) => ({
          path: ['v3', 'directline', 'conversations', sessionId, 'activities'], query: { watermark: replies.at(-1)?.watermark },
        }),
        done: (replies: Reply[]) => answers(replies).length > 0,
        text: (replies: Reply[]) => answers(replies).map(({ text = '' }) => text).join('\\n'),
      },
    },
  },
})`,
  message: { paths: ['/v3/directline/conversations/*/activities'], keys: ['type', 'from', 'text'] },
  creation: { paths: ['/v3/directline/conversations'], keys: [] },
  needsCreation: true,
  computed: { text: 'message' },
  messageAt: 'text',
  streams: () => false,
  created: [
    jsonResponse({ conversationId: 'c-1', token: 'a-token', expires_in: 1800, streamUrl: 'wss://example.com/' }, 201),
  ],
  acknowledged: jsonResponse({ id: 'c-1|0000001' }),
  expected: 'It is on its way.\nAnything else?',
  whole: {
    reply: jsonResponse({
      activities: [
        { ...bot, id: 'c-1|0000000', text: 'Hello, I am a bot.' },
        { type: 'message', id: 'c-1|0000001', from: { id: 'user-1' }, text: 'Where is it?' },
        { ...bot, type: 'typing', id: 'c-1|0000002', replyToId: 'c-1|0000001' },
        { ...bot, id: 'c-1|0000003', replyToId: 'c-1|0000001', text: 'It is on its way.' },
        { ...bot, id: 'c-1|0000004', replyToId: 'c-1|0000001', text: 'Anything else?' },
      ],
      watermark: '5',
    }),
    error: {
      ...jsonResponse({ error: { code: 'BotError', message: 'Failed to send activity: bot returned an error' } }, 502),
      outcome: 'server_error',
    },
  },
};
