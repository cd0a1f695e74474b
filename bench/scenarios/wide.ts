import { defineScenario } from 'chat-load';

/** Twenty thousand concurrent sessions: when the last one has started, each has its first turn in flight. */
export default defineScenario({
  name: 'wide',
  sessions: 20_000,
  turns: 2,
  load: { concurrency: 20_000, rampUp: '4s' },
  timeout: '30s',
  target: { protocol: 'openai-chat', agentId: 'bench' },
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Where is order {{orderNumber}}? It should have come days ago.'],
});
