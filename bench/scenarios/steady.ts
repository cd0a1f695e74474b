import { defineScenario } from 'chat-load';

/** A small load that never changes: ten turns a second of every slot. Sessions say who they are. */
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
