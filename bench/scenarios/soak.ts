import { defineScenario } from 'chat-load';

/** Five million turns: as many as in a night-long run, within minutes. */
export default defineScenario({
  name: 'soak',
  sessions: 250_000,
  turns: 20,
  load: { concurrency: 32 },
  target: { agentId: 'bench' },
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Where is order {{orderNumber}}? It should have come days ago.'],
});
