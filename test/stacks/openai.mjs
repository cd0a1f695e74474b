// An agent by the package `openai`, which calls a tool once per turn. Nothing here forwards the trace: see telemetry.mjs.
import OpenAI from 'openai';
import { serveChat } from './serve-chat.mjs';

const client = new OpenAI({ apiKey: process.env.OPENAI_API_KEY ?? 'none' });

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

/** Calls the model until it calls no more tools. */
async function answer(messages) {
  const conversation = [...messages];
  for (;;) {
    const { choices } = await client.chat.completions.create({ model: 'gpt-5-mini', messages: conversation, tools });
    const { message } = choices[0];
    conversation.push(message);
    if (message.tool_calls === undefined) return message.content;
    for (const call of message.tool_calls) {
      const { order } = JSON.parse(call.function.arguments);
      conversation.push({ role: 'tool', tool_call_id: call.id, content: `Order ${order} left the warehouse today.` });
    }
  }
}

serveChat(answer);
