import { defineScenario } from 'chat-load';

/**
 * An example for `chat-load capacity scenarios/knee.ts`, which raises the concurrent sessions until a gate fails. The
 * embedded service has 20 slots for turns of 50 ms each; further turns queue.
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
