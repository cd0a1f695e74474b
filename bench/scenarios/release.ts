import { defineScenario } from 'chat-load';

/** Enough turns in ten seconds for p99, at a rate that both releases keep up with. */
export default defineScenario({
  name: 'release',
  duration: '11s',
  warmUp: '1s',
  turns: 4,
  load: { sessionsPerSecond: 300 },
  target: { agentId: 'agent-support' },
  messages: ['Where is my order? It should have come days ago.', 'And when will it come?'],
});
