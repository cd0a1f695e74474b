import { chatRequest } from '../../../src/protocol/chat-request.ts';
import { classifyWhole, type WholeRules } from '../../../src/protocol/classify-whole.ts';
import type { ChatProtocol, Route } from '../../../src/protocol/protocol.ts';

const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
export const tinyRoute: Route = { operation: 'message', method: 'POST', path: '/tiny', headers };

const replies: WholeRules = {
  welcome: [200],
  refuse: () => undefined,
  judge: (body) => {
    const { said } = body;
    if (typeof said !== 'string') return { broken: 'no text at said' };
    return { reply: { text: said, id: undefined, data: body } };
  },
};

/** A made-up protocol: `{ agent, text }` is answered with `{ said }`, and nothing is remembered. */
export const tiny: ChatProtocol = {
  name: 'tiny',
  paths: { message: tinyRoute.path },
  history: 'service',
  wholeOnly: true,
  fixedMessages: true,
  createsSessions: () => false,
  authorize: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),
  open: ({ agentId }) => ({
    creation: undefined,
    converse: (sessionId) => ({
      sessionId,
      request: ({ message }) => chatRequest(tinyRoute, JSON.stringify({ agent: agentId, text: message })),
      read: (received) => classifyWhole(received, replies),
    }),
  }),
};
