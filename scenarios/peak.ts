import { defineScenario } from 'chat-load';

/**
 * A busy hour in about half a minute: 400 sessions, 50 concurrent, of 3 to 8 turns with short pauses. The embedded
 * service injects a few faults, so that the first report contains rate limits, provider errors, lost connections,
 * retries and their cost. Use it on your own agent with --base-url.
 */
export default defineScenario({
  name: 'peak',
  seed: 1,
  sessions: 400,
  turns: { min: 3, max: 8 },
  load: { concurrency: 50, rampUp: '5s' },
  thinkTime: { median: '400ms', sigma: 0.5 },
  embedded: {
    latency: { median: '200ms', sigma: 0.4 },
    faults: [
      { kind: 'rate_limited', share: 0.015, retryAfter: '1s' },
      { kind: 'provider', share: 0.01, status: 503 },
      { kind: 'provider', share: 0.005, status: 429, retryAfter: '1s' },
      { kind: 'internal_error', share: 0.003 },
      { kind: 'reset', share: 0.002 },
    ],
  },
  data: {
    customers: [
      { name: 'Ada', plan: 'pro' },
      { name: 'Grace', plan: 'team' },
      { name: 'Linus', plan: 'free' },
      { name: 'Margaret', plan: 'pro' },
    ],
  },
  variableValues: {
    customerName: '{{pick customers.name}}',
    plan: '{{pick customers.plan}}',
    orderNumber: 'ORD-{{session.number}}-{{digits 4}}',
  },
  messages: [
    'Hello, I am {{customerName}} and I am on the {{plan}} plan.',
    'Where is order {{orderNumber}}?',
    'It should have come {{int 2 9}} days ago.',
    'What did I tell you first?',
    'Can you send it again?',
  ],
  // Checks replies only; true also asks agents to repeat a tag and a code (docs/concepts/integrity.md).
  integrity: 'passive',
  timeout: '10s',
  objective: '2s',
  gates: { 'turn.p95': '< 2s', 'turns.failedShare': '< 1%' },
});
