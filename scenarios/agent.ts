import { defineScenario } from 'chat-load';

/**
 * Two minutes of ordinary traffic on your own agent: five concurrent sessions. Set these environment variables first:
 *
 *   CHAT_LOAD_BASE_URL     where the service is, such as https://agent.example.com
 *   CHAT_LOAD_AGENT_ID     the agent to talk to
 *   CHAT_LOAD_API_KEY      the API key; keep it out of files
 *   CHAT_LOAD_ALLOW_HOSTS  the host of that URL, such as agent.example.com, unless it is this machine
 *
 * `chat-load try` with this file has one conversation and reports whether the service can be loaded, `chat-load plan`
 * shows a run without sending anything, and `chat-load run` runs it.
 */
export default defineScenario({
  name: 'agent',
  target: {
    baseUrl: process.env['CHAT_LOAD_BASE_URL'] ?? '',
    agentId: process.env['CHAT_LOAD_AGENT_ID'] ?? '',
    // If your service creates sessions at another path, or names the id differently:
    // createSession: { path: '/v1/sessions', body: { agent: '{{agentId}}' }, sessionIdFrom: 'data.id' },
  },
  duration: '2m', // new sessions start for this long; use `sessions: 100` for a number of sessions
  load: { concurrency: 5, rampUp: '10s' }, // concurrent sessions; { sessionsPerSecond: 0.5 } starts them at a fixed rate
  turns: { min: 2, max: 4 }, // messages per session
  thinkTime: { median: '2s', sigma: 0.5 }, // the wait between a reply and the next message
  maxTurns: 500, // maximum number of messages, including retries
  maxSessions: 250, // maximum number of conversations, including failed ones
  variableValues: { customerName: 'Ada' }, // for {{customerName}} in the agent's instructions, and in messages
  messages: [
    'Hello, my name is {{customerName}}.',
    'What can you help me with?',
    'Where do I find my last invoice?',
    'What did I tell you first?',
  ],
  integrity: 'passive', // only checks replies; `true` also asks the agent to repeat tags (its instructions must allow it)
  retry: { maxAttempts: 4, base: '500ms', jitter: 'full' }, // 429, 5xx and lost connections; 'none' shows every failure
  gates: {
    'turn.p90': '< 5s', // p95 needs 130 turns, p99 662
    'turns.failedShare': '< 1%',
    'sessions.failedShare': '< 5%', // not created, or ended by a failed turn
  },
});
