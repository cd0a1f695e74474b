import { defineScenario } from 'chat-load';

/** Twenty thousand concurrent sessions: when the last one has started, each has its first turn in flight. */
export default defineScenario({
  name: 'wide',
  sessions: 20_000,
  turns: 2,
  load: { concurrency: 20_000, rampUp: '4s' },
  timeout: '30s',
  target: { agentId: 'bench' },
  embedded: {
    latency: '8s',
    maxSessions: 50_000,
    agents: [{ id: 'bench' }],
    keys: [{ key: 'bench-key' }],
  },
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Where is order {{orderNumber}}? It should have come days ago.'],
});
