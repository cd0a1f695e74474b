import type { ProtocolTarget } from '../../src/protocol/protocol.ts';

/** What a scenario says of its target when it says nothing. */
export const bareTarget: ProtocolTarget = {
  agentId: 'agent-support',
  baseUrl: null,
  stream: false,
  messagesPath: null,
  messageBody: {},
  conversation: 'previous_response',
  createSession: { path: '/sessions', body: {}, sessionIdFrom: 'id' },
};
