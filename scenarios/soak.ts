import { defineScenario } from 'chat-load';

/**
 * Eight hours of ordinary traffic: half a session per second with Poisson arrivals, the turn counts of public
 * chat logs and the think times of a production log. The first ten minutes are warm-up: --duration must be longer.
 */
export default defineScenario({
  name: 'soak',
  duration: '8h',
  warmUp: '10m',
  gracePeriod: '2m',
  turns: 'public-mix',
  thinkTime: 'chat',
  load: { sessionsPerSecond: 0.5, arrivals: 'poisson', maxConcurrency: 200 },
  embedded: {
    latency: { median: '400ms', sigma: 0.5 },
    faults: [{ kind: 'provider', share: 0.002 }],
  },
  variableValues: { customerName: 'Customer {{session.number}}', orderNumber: 'ORD-{{digits 8}}' },
  messages: [
    'Hello, I have a question about {{orderNumber}}.',
    'When will it arrive?',
    'And if nobody is at home?',
    'What did I tell you first?',
  ],
  integrity: true,
  objective: '3s',
  gates: { 'turn.p99': '< 5s', 'turns.failedShare': '< 0.5%', 'sessions.failedShare': '< 5%' },
});
