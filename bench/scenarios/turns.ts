import { defineScenario } from 'chat-load';

/** Turns as fast as possible: no think time, sessions of 20 turns including their creation, every value rendered. */
export default defineScenario({
  name: 'turns',
  duration: '5s',
  turns: 20,
  load: { concurrency: 32 },
  target: { agentId: 'bench' },
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Where is order {{orderNumber}}? It should have come days ago.'],
});
