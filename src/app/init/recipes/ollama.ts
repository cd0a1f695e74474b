import { jsonResponse, type Recipe, type RequestShape, type RawResponse } from './recipe.ts';

const lines = (...events: readonly object[]): RawResponse => ({
  status: 200,
  headers: { 'content-type': 'application/x-ndjson' },
  body: events.map((event) => `${JSON.stringify({ model: 'llama3.2', ...event })}\n`).join(''),
});

const part = (content: string): object => ({ message: { role: 'assistant', content }, done: false });

const end = {
  message: { role: 'assistant', content: '' },
  done: true,
  done_reason: 'stop',
  prompt_eval_count: 11,
  eval_count: 8,
};

const fields = 'model messages stream format options keep_alive tools think logprobs top_logprobs'.split(' ');

const hasOwnFields: NonNullable<RequestShape['accepts']> = (body) =>
  Object.keys(body).every((key) => fields.includes(key));

export const ollama: Recipe = {
  name: 'ollama',
  title: 'Ollama',
  docs: 'https://docs.ollama.com/api/chat',
  text: 'The API of Ollama itself; its `/v1` is [OpenAI-compatible](openai-compatible.md). The model is `agentId`, the client keeps the history, and replies are streamed unless `stream` is false. The first reply may wait until the model is loaded: use [`warmUp`](../reference/options.md).',
  curl: `curl http://localhost:11434/api/chat \\
  -d '{"model": "llama3.2", "messages": [{"role": "user", "content": "Where is my order?"}]}'`,
  definition: (body) => `defineProtocol({
  name: 'ollama',
  history: 'client',
  message: {
    path: '/api/chat',
    body: ${body},
  },
  reply: {
    text: 'message.content',
    finish: 'done_reason',
    usage: { inputTokens: 'prompt_eval_count', outputTokens: 'eval_count' },
  },
  stream: { format: 'json-lines', reasoning: 'message.thinking', end: 'done', error: 'error' },
})`,
  message: { paths: ['/api/chat'], keys: ['model', 'messages'], accepts: hasOwnFields },
  computed: { model: 'agentId', stream: 'stream' },
  agentAt: 'model',
  streams: ({ stream }) => stream !== false,
  expected: 'It is on its way – tomorrow.',
  whole: {
    reply: jsonResponse({ ...end, message: { role: 'assistant', content: 'It is on its way – tomorrow.' } }),
    error: { ...jsonResponse({ error: "model 'llama3.2' not found" }, 404), outcome: 'not_found' },
  },
  streamed: {
    reply: lines(part('It is on '), part('its way – tomorrow.'), end),
    error: {
      ...lines(part('It'), { error: 'an error was encountered while running the model' }),
      outcome: 'server_error',
    },
  },
};
