import { defineScenario } from 'chat-load';

/**
 * Open load: sessions arrive on their own schedule, whether the service keeps up or not, so that its queues are seen.
 * The rate climbs, holds and climbs again; the embedded service gives eight replies at a time and is close to its limit
 * at the end. Compare `turn` with `effective`: what a person waits who comes when they come.
 */
export default defineScenario({
  name: 'open',
  turns: { min: 1, max: 4 },
  thinkTime: { median: '500ms', sigma: 0.5 },
  load: {
    arrivals: 'poisson',
    stages: [
      { duration: '5s', sessionsPerSecond: 6 },
      { duration: '10s', sessionsPerSecond: 6 },
      { duration: '5s', sessionsPerSecond: 14 },
      { duration: '10s', sessionsPerSecond: 14 },
    ],
    maxConcurrency: 500,
    whenFull: 'drop',
  },
  embedded: { latency: { median: '200ms', sigma: 0.4 }, capacity: 8 },
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Where is order {{orderNumber}}?', 'Thank you. And the invoice?', 'What did I tell you first?'],
  gracePeriod: '10s',
  gates: { 'effective.p95': '< 3s' },
});
