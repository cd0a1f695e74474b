import { defineScenario } from 'chat-load';

/**
 * Two retry policies against one overloaded service. One retries at once and ignores `Retry-After`; the other waits with
 * full jitter, and at least as long as `Retry-After`. Sessions are assigned to them by number, so both use the same
 * service at the same time, and the report compares their goodput and cost, with confidence intervals.
 *
 * The policies share the service: the storm of one takes replies away from the other. Remove a policy from `retry` to
 * measure each alone: with immediate retries most sessions cannot be created, with full jitter nearly every turn is served.
 */
export default defineScenario({
  name: 'retry-storm',
  sessions: 600,
  turns: 4,
  load: { concurrency: 60, rampUp: '2s' },
  thinkTime: { median: '300ms', sigma: 0.4 },
  embedded: {
    latency: { median: '100ms', sigma: 0.3 },
    capacity: 10, // about 95 replies/s; the sessions request 150
    rateLimit: { perSecond: 90, burst: 30 },
  },
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Where is order {{orderNumber}}?', 'Are you sure?', 'Please look again.', 'What did I tell you first?'],
  onFailedTurn: 'continue', // so that a policy also sends the turns after its failures
  retry: {
    immediate: { maxAttempts: 6, base: 0, jitter: 'none', respectRetryAfter: false },
    fullJitter: { maxAttempts: 6, base: '500ms', jitter: 'full' },
  },
  objective: '3s', // a good turn is ok within this time, including retries and backoff
});
