import { defineScenario } from 'chat-load';

/** A hundred thousand concurrent sessions, all but a few of them thinking: each pauses for 30 s between two turns. */
export default defineScenario({
  name: 'thinking',
  sessions: 110_000,
  turns: 2,
  load: { sessionsPerSecond: 4000 },
  thinkTime: '30s',
  target: { agentId: 'bench' },
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Where is order {{orderNumber}}? It should have come days ago.'],
});
