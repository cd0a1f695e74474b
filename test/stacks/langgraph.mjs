// A LangGraph agent: a graph of a model node and a tool node. Nothing here forwards the trace: see telemetry.mjs.
import { tool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import { serveChat } from './serve-chat.mjs';

const findOrder = tool(({ order }) => `Order ${order} left the warehouse today.`, {
  name: 'find_order',
  description: 'Finds an order by its number.',
  schema: z.object({ order: z.string() }),
});

const model = new ChatOpenAI({ model: 'gpt-5-mini', apiKey: process.env.OPENAI_API_KEY ?? 'none' }).bindTools([
  findOrder,
]);

const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addNode('tools', new ToolNode([findOrder]))
  .addEdge(START, 'model')
  .addConditionalEdges('model', toolsCondition, ['tools', END])
  .addEdge('tools', 'model')
  .compile();

async function answer(messages) {
  const state = await graph.invoke({ messages });
  return state.messages.at(-1).text;
}

serveChat(answer);
