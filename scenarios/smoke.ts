import { defineScenario } from 'chat-load';

/** A quick check that everything works: five seconds, ten concurrent sessions of three turns each. */
export default defineScenario({
  name: 'smoke',
  duration: '5s',
  load: { concurrency: 10 },
  gracePeriod: '5s',
  embedded: { latency: { median: '50ms', sigma: 0.3 } },
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Hello, my name is {{customerName}}.', 'Where is order {{orderNumber}}?', 'What did I tell you first?'],
  integrity: true,
  retry: 'none',
  gates: { 'turns.failedShare': '< 1%', 'sessions.failedShare': '< 5%' },
});
