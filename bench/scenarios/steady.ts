import { defineScenario } from 'chat-load';

/** A small constant load of ten turns/s per slot. Messages name their session. */
export default defineScenario({
  name: 'steady',
  duration: '1s',
  gracePeriod: '2s',
  turns: 20,
  load: { concurrency: 2 },
  thinkTime: '100ms',
  target: { agentId: 'bench' },
  messages: ['session={{session.number}}'],
});
