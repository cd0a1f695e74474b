import { jsonResponse, sseResponse, type Recipe } from './recipe.ts';

const data = (event: object): string =>
  `data: ${JSON.stringify({ ...event, conversation_id: 'c-1', message_id: 'm-1' })}\n\n`;

export const dify: Recipe = {
  name: 'dify',
  title: 'Dify',
  docs: 'https://docs.dify.ai/api-reference/chat/send-chat-message',
  text: 'The key names the app. An empty `conversation_id` begins a conversation, whose id the first reply contains. Pings are ignored, an answer that moderation replaces (`message_replace`) counts as filtered, an `error` event fails the turn with the class of its `code` or `status`, and `metadata.usage` becomes the usage.',
  curl: `curl -X POST https://api.dify.ai/v1/chat-messages \\
  -H 'Authorization: Bearer {api_key}' -H 'Content-Type: application/json' \\
  -d '{"inputs": {}, "query": "Where is my order?", "response_mode": "streaming", "conversation_id": "", "user": "user-1"}'`,
  definition: (body) => `defineProtocol({
  name: 'dify',
  message: {
    path: '/chat-messages',
    body: ${body},
  },
  reply: {
    text: 'answer',
    sessionId: 'conversation_id',
    usage: { inputTokens: 'metadata.usage.prompt_tokens', outputTokens: 'metadata.usage.completion_tokens' },
  },
  stream: {
    format: 'sse',
    text: ({ event, answer }: { event: string; answer?: unknown }) => (event === 'message_replace' ? undefined : answer),
    finish: ({ event }: { event: string }) => (event === 'message_replace' ? 'content_filter' : undefined),
    end: ({ event }: { event: string }) => event === 'message_end',
  },
})`,
  message: { paths: ['/chat-messages'], keys: ['query'] },
  computed: {
    query: 'message',
    response_mode: "stream ? 'streaming' : 'blocking'",
    conversation_id: 'sessionId',
  },
  messageAt: 'query',
  streams: ({ response_mode: mode }) => mode === 'streaming',
  expected: 'It is on its way – tomorrow.',
  streamed: {
    reply: sseResponse(
      [
        'event: ping\n\n',
        data({ event: 'message', answer: 'It is on ' }),
        data({ event: 'agent_thought', thought: '' }),
        data({ event: 'message', answer: 'its way – tomorrow.' }),
        data({ event: 'message_end', metadata: { usage: { prompt_tokens: 33, completion_tokens: 5 } } }),
      ].join(''),
    ),
    error: {
      ...sseResponse(
        data({ event: 'message', answer: 'It' }) +
          data({ event: 'error', status: 429, code: 'rate_limit_error', message: 'Rate limit reached' }),
      ),
      outcome: 'rate_limited',
    },
    others: [
      {
        ...sseResponse(
          [
            data({ event: 'agent_message', answer: 'It is' }),
            data({ event: 'message_replace', answer: 'I cannot answer.', reason: 'output_moderation' }),
            data({ event: 'message_end', metadata: {} }),
          ].join(''),
        ),
        text: 'It is',
        finish: 'filtered',
      },
      {
        ...sseResponse(
          data({ event: 'error', status: 429, code: 'completion_request_error', message: 'Too many requests' }),
        ),
        outcome: 'rate_limited',
      },
    ],
  },
  whole: {
    reply: jsonResponse({
      event: 'message',
      conversation_id: 'c-1',
      message_id: 'm-1',
      answer: 'It is on its way – tomorrow.',
      metadata: { usage: { prompt_tokens: 33, completion_tokens: 5 } },
    }),
    error: {
      ...jsonResponse({ code: 'not_found', message: 'Conversation Not Exists.', status: 404 }, 404),
      outcome: 'not_found',
    },
  },
};
