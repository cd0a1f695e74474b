import { defineScenario } from 'chat-load';

/**
 * Branching conversations: the persona of a session is drawn by the shares of `personas`, and each message depends on the
 * agent's reply. Patient personas continue, brief ones end with their answer; `turns` is the maximum.
 */
export default defineScenario({
  name: 'personas',
  sessions: 60,
  turns: 8,
  load: { concurrency: 20 },
  thinkTime: { median: '200ms', sigma: 0.4 },
  embedded: { latency: { median: '80ms', sigma: 0.3 } },
  data: {
    personas: {
      rows: [
        { tone: 'brief', patience: 2, share: 60 },
        { tone: 'curious', patience: 4, share: 30 },
        { tone: 'worried', patience: 8, share: 10 },
      ],
      weight: 'share',
    },
  },
  variableValues: { customerName: 'a {{pick personas.tone}} customer', orderNumber: 'ORD-{{session.number}}' },
  messages: {
    first: 'Where is order {{orderNumber}}?',
    next: ({ text }, { turn, pick, random, variables }) => {
      if (turn.number > pick('personas').patience) return null;
      if (!text.includes(String(variables['orderNumber']))) return `I mean order ${String(variables['orderNumber'])}.`;
      return random() < 0.7 ? `Question ${String(turn.number)}: when will it be here?` : null;
    },
  },
  gates: { 'turns.failedShare': '< 1%' },
});
