import { jsonResponse, sseResponse, type Recipe } from './recipe.ts';

const frame = (event: string, data: unknown): string => `message:\ndata:${JSON.stringify({ event, data })}\n\n`;

export const flowise: Recipe = {
  name: 'flowise',
  title: 'Flowise',
  docs: 'https://docs.flowiseai.com/using-flowise/prediction',
  text: 'The flow is `agentId`. Every session has an id of its own, in `overrideConfig.sessionId`: without it, all users share one memory. Errors of the model are events with the status 200.',
  curl: `curl http://localhost:3000/api/v1/prediction/FLOW \\
  -H "Authorization: Bearer $FLOWISE_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"question": "Where is my order?", "streaming": true, "overrideConfig": {"sessionId": "user-1"}}'`,
  definition: (body) => `defineProtocol({
  name: 'flowise',
  sessionId: '{{uuid}}',
  message: {
    path: '/api/v1/prediction/{{agentId}}',
    body: ${body},
  },
  reply: { text: 'text' },
  stream: {
    format: 'sse',
    text: ({ event, data }: { event: string; data?: unknown }) => (event === 'token' ? data : undefined),
    end: ({ event }: { event: string }) => event === 'end',
    error: ({ event }: { event: string }) => (['error', 'abort'].includes(event) ? 'provider_error' : undefined),
  },
})`,
  message: { paths: ['/api/v1/prediction/{agentId}'], keys: ['question'] },
  computed: { question: 'message', streaming: 'stream', 'overrideConfig.sessionId': 'sessionId' },
  messageAt: 'question',
  streams: ({ streaming }) => streaming === true,
  expected: 'Your order is on its way – tomorrow.',
  whole: {
    reply: jsonResponse({ text: 'Your order is on its way – tomorrow.', chatId: 'c-1', sessionId: 'c-1' }),
    error: {
      ...jsonResponse({ statusCode: 500, success: false, message: 'Rate limit reached' }, 500),
      outcome: 'server_error',
    },
  },
  streamed: {
    reply: sseResponse(
      [
        ':heartbeat\n\n',
        frame('start', 'Your'),
        frame('token', 'Your order'),
        frame('token', ' is on its way – '),
        frame('token', 'tomorrow.'),
        frame('sourceDocuments', [{ pageContent: 'Orders', metadata: {} }]),
        frame('metadata', { chatId: 'c-1', sessionId: 'c-1', memoryType: 'Buffer Memory' }),
        frame('end', '[DONE]'),
      ].join(''),
    ),
    error: {
      ...sseResponse(frame('start', 'Yo') + frame('error', '429 Rate limit reached') + frame('end', '[DONE]')),
      outcome: 'provider_error',
    },
    others: [
      {
        ...sseResponse(frame('token', 'Your') + frame('abort', '[DONE]') + frame('end', '[DONE]')),
        outcome: 'provider_error',
      },
    ],
  },
};
