import { defineScenario } from 'chat-load';

/** Ten thousand sessions, each with a turn in flight nearly all the time: replies take a second. */
export default defineScenario({
  name: 'in-flight',
  sessions: 30_000,
  turns: 3,
  load: { concurrency: 10_000, rampUp: '3s' },
  target: { agentId: 'bench' },
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Where is order {{orderNumber}}? It should have come days ago.'],
});
