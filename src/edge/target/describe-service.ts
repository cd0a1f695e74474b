import { faultNotes, sabotageNotes } from '../../scenario/embedded-kinds.ts';
import { messagesPath, sessionsPath } from '../../protocol/chat-messaging/api.ts';

/** What can be asked of the service, for `GET /` and the docs. `body` is an example of what is posted. */
export const serviceRoutes = [
  {
    method: 'GET',
    path: '/',
    meaning: 'This: routes, and the kinds of faults and sabotage',
  },
  {
    method: 'POST',
    path: sessionsPath,
    meaning: 'Creates a session: 201 with its id in `data.sessionId`; needs the key as `Authorization: Bearer KEY`',
    body: { agentId: 'agent-support' },
  },
  {
    method: 'POST',
    path: messagesPath,
    meaning: 'Answers a message: 200 with the text in `data.response`; needs the key',
    body: {
      agentId: 'agent-support',
      sessionId: 'ID',
      message: 'Where is my order?',
      variableValues: { customerName: 'Ada', orderNumber: 'ORD-1' },
    },
  },
  {
    method: 'GET',
    path: '/stats',
    meaning: 'What the service did: counts, latency, connections, queue; only from this machine',
  },
  {
    method: 'GET',
    path: '/ledger/ID',
    meaning: 'The turns that a session remembers; only from this machine',
  },
] as const;

/** The description that the service gives of itself. */
export function describeService() {
  return {
    service: 'the reference service of chat-load',
    order: 'Messages of one session are answered one after the other, in order of arrival; sessions side by side.',
    config:
      'chat-load serve --config FILE, or `embedded` of a scenario: { "latency": "200ms", "faults": [...], "sabotage": [...] }',
    when: 'Each fault and sabotage takes one of share (0 to 1), every (n-th) and first (n), and window { from, to } since the start.',
    routes: serviceRoutes,
    faults: faultNotes,
    sabotage: sabotageNotes,
  };
}
