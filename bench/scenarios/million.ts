import { defineScenario } from 'chat-load';

/** More than three million turns: memory must not grow with them. */
export default defineScenario({
  name: 'million',
  sessions: 155_000,
  turns: 20,
  load: { concurrency: 32 },
  target: { agentId: 'bench' },
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Where is order {{orderNumber}}? It should have come days ago.'],
});
