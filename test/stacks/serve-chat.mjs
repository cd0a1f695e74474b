// Server of chat completions in front of an agent: the part that the agents of this folder share. It listens on PORT.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer } from 'node:http';

// Three lines connect every model call with its turn, however deep in the agent it is made.
const trace = new AsyncLocalStorage();
const inTrace = (request, perform) => trace.run(request.headers.traceparent, perform);
export const traceHeaders = () => (trace.getStore() === undefined ? {} : { traceparent: trace.getStore() });

/** Serves an agent: `answer` receives the messages of a conversation and returns the text of the reply. */
export function serveChat(answer) {
  const server = createServer((request, response) => {
    inTrace(request, () => reply(request, response, answer)).catch((error) => {
      response.writeHead(502, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: String(error.message), type: 'server_error' } }));
    });
  });
  server.listen(Number(process.env.PORT), '127.0.0.1');
}

async function reply(request, response, answer) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { messages } = JSON.parse(Buffer.concat(chunks).toString());
  const content = await answer(messages);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(completion(content)));
}

const completion = (content) => ({
  id: `chatcmpl-${crypto.randomUUID()}`,
  object: 'chat.completion',
  created: Math.floor(Date.now() / 1000),
  model: 'assistant',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
});
