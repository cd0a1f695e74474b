import { defineScenario } from 'chat-load';

/**
 * A night's measurement: five minutes of open load at a fixed rate, 10 sessions per second with 4 turns each; the first
 * 20 s are warm-up. That leaves 11,200 turns, enough to judge p99. Every run sends the same messages at the same
 * times, so runs can be compared. `chat-load nightly` points it at the release to judge; choose a rate that your
 * service handles easily (--rate): near saturation, noise hides changes.
 */
export default defineScenario({
  name: 'nightly',
  duration: '5m',
  warmUp: '20s',
  gracePeriod: '30s',
  turns: 4,
  thinkTime: { median: '800ms', sigma: 0.4 },
  load: { sessionsPerSecond: 10 },
  embedded: { latency: { median: '150ms', sigma: 0.35 } },
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: [
    'Hello, my name is {{customerName}}.',
    'Where is order {{orderNumber}}?',
    'And when will it arrive?',
    'What did I tell you first?',
  ],
  integrity: 'passive',
  objective: '2s',
  gates: { 'turns.failedShare': '< 1%', 'sessions.failedShare': '< 5%' },
});
