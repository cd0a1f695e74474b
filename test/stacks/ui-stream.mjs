// A route of the AI SDK behind node:http: UI message streams as `createUIMessageStreamResponse` sends them.
import { createServer } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { convertToModelMessages, createUIMessageStream, createUIMessageStreamResponse } from 'ai';

const served = [];

async function chat(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { messages } = JSON.parse(Buffer.concat(chunks).toString());
  // Rejects messages that the AI SDK itself would reject.
  const modelMessages = await convertToModelMessages(messages);
  served.push(modelMessages.length);
  const stream = createUIMessageStream({
    execute: ({ writer }) => {
      const id = 'text-1';
      writer.write({ type: 'start', messageId: crypto.randomUUID() });
      writer.write({ type: 'text-start', id });
      for (const delta of ['Your order ', 'is on its way', ', and it arrives tomorrow.'])
        writer.write({ type: 'text-delta', id, delta });
      writer.write({ type: 'text-end', id });
      writer.write({ type: 'finish' });
    },
  });
  const made = createUIMessageStreamResponse({ stream });
  response.writeHead(made.status, Object.fromEntries(made.headers));
  await pipeline(made.body, response);
}

createServer((request, response) => {
  if (request.method === 'GET') response.end(JSON.stringify(served));
  else chat(request, response).catch((error) => response.writeHead(500).end(String(error)));
}).listen(Number(process.env.PORT), '127.0.0.1');
