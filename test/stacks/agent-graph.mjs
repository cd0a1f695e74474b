// The graph of agent-server.mjs: one model call per run.
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { FakeListChatModel } from '@langchain/core/utils/testing';

const model = new FakeListChatModel({ responses: ['Your order is on its way, and it arrives tomorrow.'] });

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'agent')
  .compile();
