import { defineScenario } from 'chat-load';

/**
 * Two retry policies against a service with a rate limit: one tries again at once, the other waits with full jitter.
 * Sessions are dealt to them in turn, so both meet the same service at the same time. Compare their amplification (how
 * many attempts a turn costs the service) and their goodput (turns that went well in time).
 */
export default defineScenario({
  name: 'retry-storm',
  sessions: 600,
  turns: 4,
  load: { concurrency: 60, rampUp: '2s' },
  thinkTime: { median: '300ms', sigma: 0.4 },
  embedded: {
    latency: { median: '100ms', sigma: 0.3 },
    capacity: 20,
    rateLimit: { perSecond: 90, burst: 30 },
  },
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Where is order {{orderNumber}}?', 'Are you sure?', 'Please look again.', 'What did I tell you first?'],
  retry: {
    immediate: { maxAttempts: 6, base: 0, jitter: 'none', respectRetryAfter: false },
    fullJitter: { maxAttempts: 6, base: '500ms', jitter: 'full' },
  },
  objective: '3s',
});
