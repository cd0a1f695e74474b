// An agent by the package `@anthropic-ai/sdk`, which copies `traceparent` by hand into the headers of its model calls.
import Anthropic from '@anthropic-ai/sdk';
import { serveChat, traceHeaders } from './serve-chat.mjs';

const client = new Anthropic({ apiKey: process.env.ANTHROPIC_API_KEY ?? 'none' });

const tools = [
  {
    name: 'find_order',
    description: 'Finds an order by its number.',
    input_schema: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
  },
];

/** Calls the model until it calls no more tools. */
async function answer(messages) {
  const conversation = [...messages];
  for (;;) {
    const { content, stop_reason } = await client.messages.create(
      { model: 'claude-sonnet-5', max_tokens: 1024, messages: conversation, tools },
      { headers: traceHeaders() },
    );
    if (stop_reason !== 'tool_use') return content.map(({ text = '' }) => text).join('');
    conversation.push({ role: 'assistant', content }, { role: 'user', content: resultsOf(content) });
  }
}

const resultsOf = (content) =>
  content
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, input }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: `Order ${input.order} left the warehouse today.`,
    }));

serveChat(answer);
