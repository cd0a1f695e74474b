// An agent by the AI SDK, which copies `traceparent` by hand into the headers of its model calls.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, stepCountIs, tool } from 'ai';
import { z } from 'zod';
import { serveChat, traceHeaders } from './serve-chat.mjs';

const provider = createOpenAICompatible({
  name: 'model-service',
  baseURL: process.env.OPENAI_BASE_URL,
  apiKey: process.env.OPENAI_API_KEY ?? 'none',
});

const tools = {
  find_order: tool({
    description: 'Finds an order by its number.',
    inputSchema: z.object({ order: z.string() }),
    execute: ({ order }) => `Order ${order} left the warehouse today.`,
  }),
};

async function answer(messages) {
  const { text } = await generateText({
    model: provider('gpt-5-mini'),
    messages,
    tools,
    stopWhen: stepCountIs(5),
    headers: traceHeaders(),
  });
  return text;
}

serveChat(answer);
