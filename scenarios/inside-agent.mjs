// A small agent for scenarios/inside.ts: a server of chat completions that calls its model twice per turn, first with a tool,
// then with the tool's result. Configured by PORT and OPENAI_BASE_URL.
import { createServer } from 'node:http';

const model = process.env.OPENAI_BASE_URL ?? 'http://127.0.0.1:9009/v1';
const port = Number(process.env.PORT ?? 9010);

const tools = [
  {
    type: 'function',
    function: {
      name: 'find_order',
      description: 'Finds an order by its number.',
      parameters: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
    },
  },
];

/** Calls the model, at most three times if it refuses. `trace` connects the call with the turn: without it, nothing is attributed. */
async function callModel(messages, trace) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${model}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...trace },
      body: JSON.stringify({ model: 'model-a', messages, tools, tool_choice: 'auto' }),
    });
    if (response.ok) return (await response.json()).choices[0].message;
    if (attempt === 3) throw new Error(`the model answered with status ${response.status}`);
    await response.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt));
  }
}

/** Answers a conversation: calls the model until it has called no more tools. */
async function answer(messages, trace) {
  const conversation = [...messages];
  for (;;) {
    const message = await callModel(conversation, trace);
    conversation.push(message);
    if (message.tool_calls === undefined) return message.content;
    for (const call of message.tool_calls)
      conversation.push({ role: 'tool', tool_call_id: call.id, content: 'The order left the warehouse today.' });
  }
}

async function serve(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { messages } = JSON.parse(Buffer.concat(chunks).toString());
  // Three lines connect the model calls with the turn.
  const trace = {};
  const { traceparent } = request.headers;
  if (traceparent !== undefined) trace.traceparent = traceparent;
  // The flaw: nothing here notices that the user has left, so the remaining model calls are made for nobody.
  const content = await answer(messages, trace);
  const reply = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' };
  const body = {
    id: `chatcmpl-${crypto.randomUUID()}`,
    object: 'chat.completion',
    model: 'assistant',
    choices: [reply],
  };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
}

const server = createServer((request, response) => {
  serve(request, response).catch((error) => {
    response.statusCode = 502;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ error: { message: String(error.message), type: 'server_error' } }));
  });
});
server.listen(port, '127.0.0.1');
