import { defineScenario } from 'chat-load';

/** Streamed turns as fast as possible, each in its own conversation, with every value rendered. */
export default defineScenario({
  name: 'streams',
  duration: '5s',
  turns: 1,
  load: { concurrency: 32 },
  target: { agentId: 'bench', protocol: 'openai-chat', stream: true },
  integrity: false,
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Where is order {{orderNumber}}? It should have come days ago.'],
});
