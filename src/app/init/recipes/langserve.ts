import { jsonResponse, sseResponse, type Recipe, type RequestShape } from './recipe.ts';

const event = (type: string, data: unknown): string => `event: ${type}\r\ndata: ${JSON.stringify(data)}\r\n\r\n`;

/** Reports whether a body has the fields of LangServe alone, and not only a text, as many APIs have it. */
const isInvocation: NonNullable<RequestShape['accepts']> = (body) =>
  Object.keys(body).every((key) => ['input', 'config', 'kwargs'].includes(key)) &&
  (typeof body['input'] === 'object' || Object.keys(body).length > 1);

export const langServe: Recipe = {
  name: 'langserve',
  title: 'LangServe',
  docs: 'https://python.langchain.com/docs/langserve/',
  text: 'The base URL includes the path of the chain. `input` has the form of the chain. A chain with a message history needs the id of the session in `config.configurable`. Outputs are texts, or messages with `content`.',
  curl: `curl -N http://localhost:8000/bot/stream -H 'Content-Type: application/json' \\
  -d '{"input": {"question": "Where is my order?"}, "config": {"configurable": {"session_id": "user-1"}}}'`,
  definition: (body) => `type Output = string | { content?: string };

defineProtocol({
  name: 'langserve',
  sessionId: '{{uuid}}',
  message: {
    path: ({ stream }) => (stream ? '/stream' : '/invoke'),
    body: ${body},
  },
  reply: { text: ({ output }: { output: Output }) => (typeof output === 'string' ? output : output.content) },
  stream: {
    format: 'sse',
    text: (data: Output, type) => (type !== 'data' ? undefined : typeof data === 'string' ? data : data.content),
    end: { event: 'end' },
    error: (_, type) => (type === 'error' ? 'internal_error' : undefined),
  },
})`,
  message: { paths: ['/invoke', '/stream'], keys: ['input'], accepts: isInvocation },
  computed: {},
  streams: (_, path) => path.endsWith('/stream'),
  expected: 'It is on its way – tomorrow.',
  whole: {
    reply: jsonResponse({ output: 'It is on its way – tomorrow.', metadata: { run_id: 'r-1', feedback_tokens: [] } }),
    error: {
      ...jsonResponse({ detail: [{ loc: ['input'], msg: 'Field required', type: 'missing' }] }, 422),
      outcome: 'http_other',
    },
  },
  streamed: {
    reply: sseResponse(
      event('metadata', { run_id: 'r-1' }) +
        event('data', 'It is on ') +
        event('data', { content: 'its way – ', type: 'AIMessageChunk' }) +
        event('data', '') +
        event('data', 'tomorrow.') +
        'event: end\r\n\r\n',
    ),
    error: {
      ...sseResponse(event('data', 'It') + event('error', { status_code: 500, message: 'Internal Server Error' })),
      outcome: 'internal_error',
    },
  },
};
