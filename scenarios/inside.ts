import { defineScenario } from 'chat-load';

/**
 * Both sides of an agent: the users in front of it, and the model service behind it. The agent, scenarios/inside-agent.mjs,
 * is started for the run. It calls the model twice per turn, and has one flaw: it does not notice that a user has left, so
 * it continues to call the model for nobody. The section "Inside a turn" shows these calls as orphaned.
 */
export default defineScenario({
  name: 'inside',
  target: {
    baseUrl: 'http://127.0.0.1:9010',
    start: ['node', 'inside-agent.mjs'],
    protocol: 'openai-chat',
    agentId: 'assistant',
    auth: 'none',
  },
  model: {
    latency: { median: '150ms', sigma: 0.3 },
    tokenTime: '2ms',
    tools: { calls: 1 }, // one tool call per turn, then the answer
    delivered: true, // every answer contains a word that the reply of the agent must contain
    faults: [{ kind: 'rate_limited', share: 0.04 }], // the agent retries after a wait
  },
  sessions: 60,
  turns: 3,
  load: { concurrency: 10 },
  messages: ['Where is order ORD-{{session.number}}?', 'Are you sure?', 'When will it arrive?'],
  abandon: { share: 0.1, after: '100ms' }, // a user in ten leaves before the first model call ends
  prices: { 'model-a': { input: 1.25, cachedInput: 0.125, output: 10 }, asOf: '2026-11-01' },
  gates: { 'turns.failedShare': '< 5%', 'model.callsPerTurn': '< 4' },
});
