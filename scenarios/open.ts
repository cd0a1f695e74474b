import { defineScenario } from 'chat-load';

/**
 * Open load: sessions arrive on their own schedule, whether the service keeps up or not, which shows its queues. The
 * rate climbs, holds and climbs again, finally beyond the capacity of the embedded service (six replies at a time). At
 * most 40 sessions are live; others wait. Compare `turn` with `effective`, the wait of people who arrive on their own
 * schedule.
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
    maxConcurrency: 40,
    whenFull: 'wait',
  },
  embedded: { latency: { median: '200ms', sigma: 0.4 }, capacity: 6 },
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Where is order {{orderNumber}}?', 'Thank you. And the invoice?', 'What did I tell you first?'],
  gracePeriod: '10s',
  gates: { 'effective.p95': '< 3s' },
});
