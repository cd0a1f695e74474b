import { defineScenario } from 'chat-load';

/**
 * How much can it take? `chat-load capacity scenarios/knee.ts` raises the sessions at a time until a gate breaks. The embedded
 * service has places for 20 turns at a time, of 50 ms each: from there on turns wait.
 */
export default defineScenario({
  name: 'knee',
  sessions: 1000,
  turns: 4,
  load: { concurrency: 40 },
  embedded: { latency: { median: '50ms', sigma: 0.1 }, capacity: 20 },
  messages: ['Where is order {{orderNumber}}?', 'When will it be here?'],
  variableValues: { orderNumber: 'ORD-{{session.number}}' },
  gates: { 'turn.p95': '< 200ms' },
});
