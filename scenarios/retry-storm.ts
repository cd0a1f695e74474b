import { defineScenario } from 'chat-load';

/**
 * The retry laboratory: two retry policies against one overloaded service. One retries at once, whatever the service
 * says; the other waits with full jitter, and at least as long as `Retry-After` asks. Sessions are assigned to them by
 * number, so both meet the same service at the same time, and the report says which gave more goodput, with intervals,
 * and what it cost.
 *
 * They share the service: the storm of one takes replies away from the other. Remove a policy from `retry` to see each
 * alone: immediate retries leave most people without even a session, full jitter serves nearly every turn.
 */
export default defineScenario({
  name: 'retry-storm',
  sessions: 600,
  turns: 4,
  load: { concurrency: 60, rampUp: '2s' },
  thinkTime: { median: '300ms', sigma: 0.4 },
  embedded: {
    latency: { median: '100ms', sigma: 0.3 },
    capacity: 10, // about 95 replies a second; the sessions would ask for 150
    rateLimit: { perSecond: 90, burst: 30 },
  },
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Where is order {{orderNumber}}?', 'Are you sure?', 'Please look again.', 'What did I tell you first?'],
  onFailedTurn: 'continue', // so that a policy is not spared the turns behind its failures
  retry: {
    immediate: { maxAttempts: 6, base: 0, jitter: 'none', respectRetryAfter: false },
    fullJitter: { maxAttempts: 6, base: '500ms', jitter: 'full' },
  },
  objective: '3s', // a turn is good when it is ok within this time, retries and backoff included
});
