import { jsonResponse, sseResponse, type Recipe } from './recipe.ts';

const event = (type: string, data: unknown): string => `event:${type}\ndata:${JSON.stringify(data)}\n\n`;

const ids = { chat_id: 'c-1', conversation_id: 'v-1', bot_id: 'b-1', role: 'assistant' };

export const coze: Recipe = {
  name: 'coze',
  title: 'Coze',
  docs: 'https://www.coze.com/docs/developer_guides/chat_v3',
  text: 'The bot is `agentId`. Replies are streamed: without a stream, Coze requires further requests for the answer. The first reply contains the id of the conversation, which later turns name in the query. Refusals have the status 200 and a `code`.',
  curl: `curl -X POST https://api.coze.com/v3/chat -H "Authorization: Bearer $COZE_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"bot_id": "7346", "user_id": "user-1", "stream": true, "additional_messages": [
    {"role": "user", "content": "Where is my order?", "content_type": "text"}]}'`,
  definition: (body) => `defineProtocol({
  name: 'coze',
  message: {
    path: ({ sessionId }) =>
      sessionId === '' ? '/v3/chat' : \`/v3/chat?conversation_id=\${encodeURIComponent(sessionId)}\`,
    body: ${body},
  },
  stream: {
    format: 'sse',
    text: ({ type, content }: { type?: string; content?: string }, event) =>
      event === 'conversation.message.delta' && type === 'answer' ? content : undefined,
    sessionId: 'conversation_id',
    usage: { inputTokens: 'usage.input_count', outputTokens: 'usage.output_count' },
    end: { event: 'done' },
    error: (_, event) => (/^(conversation\\.chat\\.failed|error)$/.test(event) ? 'provider_error' : undefined),
  },
  errors: (status, body?: { code?: number }) => (status === 200 && body?.code ? 'provider_error' : undefined),
})`,
  message: { paths: ['/v3/chat'], keys: ['bot_id', 'additional_messages'], query: ['conversation_id'] },
  computed: { bot_id: 'agentId', stream: 'stream' },
  agentAt: 'bot_id',
  streams: () => true,
  expected: 'It is on its way – tomorrow.',
  streamed: {
    reply: sseResponse(
      event('conversation.chat.created', { id: 'c-1', conversation_id: 'v-1', bot_id: 'b-1', status: 'created' }) +
        event('conversation.message.delta', { ...ids, id: 'm-1', type: 'answer', content: 'It is on ' }) +
        event('conversation.message.delta', { ...ids, id: 'm-1', type: 'answer', content: 'its way – tomorrow.' }) +
        event('conversation.message.completed', {
          ...ids,
          id: 'm-1',
          type: 'answer',
          content: 'It is on its way – tomorrow.',
        }) +
        event('conversation.message.completed', { ...ids, id: 'm-2', type: 'follow_up', content: 'And then?' }) +
        event('conversation.chat.completed', {
          id: 'c-1',
          conversation_id: 'v-1',
          usage: { input_count: 30, output_count: 8 },
        }) +
        event('done', '[DONE]'),
    ),
    error: { ...jsonResponse({ code: 4100, msg: 'authentication is invalid' }), outcome: 'provider_error' },
  },
};
