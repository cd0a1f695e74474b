import { jsonResponse, type Recipe } from './recipe.ts';

const bubble = (text: string): object => ({
  id: 'm-1',
  type: 'text',
  content: { type: 'richText', richText: [{ type: 'p', children: [{ text }] }] },
});

export const typebot: Recipe = {
  name: 'typebot',
  title: 'Typebot',
  docs: 'https://docs.typebot.io/api-reference/chat/start-chat',
  text: 'The public id of the bot is `agentId`. `startChat` creates the session, and its greeting is not a turn. A reply is a list of bubbles of rich text or Markdown: their lines are joined. Pass both commands to `init`, first `startChat`. A flow that waits for a button needs its label as message.',
  curl: `curl -X POST https://typebot.io/api/v1/typebots/my-bot/startChat -H 'Content-Type: application/json' -d '{}'
curl -X POST https://typebot.io/api/v1/sessions/SESSION/continueChat -H 'Content-Type: application/json' \\
  -d '{"message": {"type": "text", "text": "Where is my order?"}}'`,
  definition: (body, creation) => `type Node = { text?: string; children?: Node[] };
type Bubble = { content?: { richText?: Node[]; markdown?: string } };

defineProtocol({
  name: 'typebot',
  createSession: { path: '/api/v1/typebots/{{agentId}}/startChat', body: ${creation}, sessionId: 'sessionId' },
  message: {
    path: '/api/v1/sessions/{{sessionId}}/continueChat',
    body: ${body},
  },
  reply: {
    text: ({ messages }: { messages: Bubble[] }) => {
      const textOf = ({ text, children = [] }: Node): string => text ?? children.map(textOf).join('');
      return messages.flatMap(({ content }) => content?.markdown ?? (content?.richText ?? []).map(textOf)).join('\\n');
    },
  },
})`,
  message: { paths: ['/api/v1/sessions/*/continueChat'], keys: ['message'] },
  creation: { paths: ['/api/v1/typebots/{agentId}/startChat'], keys: [] },
  needsCreation: true,
  computed: { 'message.text': 'message' },
  messageAt: 'message.text',
  streams: () => false,
  created: [jsonResponse({ sessionId: 's-1', resultId: 'r-1', typebot: { id: 'my-bot' }, messages: [bubble('Hi!')] })],
  expected: 'It is on its way.\nAnything else?',
  whole: {
    reply: jsonResponse({
      messages: [
        bubble('It is on its way.'),
        { id: 'm-2', type: 'image', content: { url: 'https://example.com/a.png' } },
        { id: 'm-3', type: 'text', content: { type: 'markdown', markdown: 'Anything else?' } },
      ],
      input: { id: 'i-1', type: 'text input' },
    }),
    error: { ...jsonResponse({ message: 'Session not found.', code: 'NOT_FOUND' }, 404), outcome: 'not_found' },
  },
};
