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
  text: 'The base URL includes the path of the chain. `input` has the form of the chain. A chain with a message history needs the id of the session in `config.configurable`. A list of messages without such an id is the whole conversation, which each request then contains. Outputs are texts, messages with `content`, or objects with the text in `answer`, `output` or `text`.',
  curl: `curl -N http://localhost:8000/bot/stream -H 'Content-Type: application/json' \\
  -d '{"input": {"question": "Where is my order?"}, "config": {"configurable": {"session_id": "user-1"}}}'`,
  definition: (body) => `type Output = string | { answer?: Output; output?: Output; text?: string; content?: string };
const textOf = (at?: Output): string | undefined =>
  at === undefined || typeof at === 'string' ? at : (textOf(at.answer ?? at.output) ?? at.text ?? at.content);

defineProtocol({
  name: 'langserve',
  ${/^\(\{[^}]*\bmessages\b/.test(body) ? "history: 'client'" : "sessionId: '{{uuid}}'"},
  message: {
    path: ({ stream }) => (stream ? '/stream' : '/invoke'),
    body: ${body},
  },
  reply: { text: ({ output }: { output: Output }) => textOf(output) },
  stream: {
    format: 'sse',
    text: (data: Output, type) => (type === 'data' ? textOf(data) : undefined),
    end: { event: 'end' },
    error: (_, type) => (type === 'error' ? 'internal_error' : undefined),
  },
})`,
  message: { paths: ['/invoke', '/stream'], keys: ['input'], accepts: isInvocation },
  computed: {},
  mayKeepHistory: true,
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
