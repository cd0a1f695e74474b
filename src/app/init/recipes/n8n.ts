import { jsonResponse, type Recipe, type RawResponse } from './recipe.ts';

const lines = (...events: readonly object[]): RawResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: events
    .map((event) => `${JSON.stringify({ ...event, metadata: { nodeName: 'AI Agent', runIndex: 0 } })}\n`)
    .join(''),
});

export const n8n: Recipe = {
  name: 'n8n',
  title: 'n8n chat trigger',
  docs: 'https://docs.n8n.io/integrations/builtin/core-nodes/n8n-nodes-langchain.chattrigger/',
  text: "The webhook's id is `agentId`. The client chooses the id of the session. The response mode of the trigger decides whether replies are streamed: `init` takes it from a reply, and `target.stream` states it. If a node writes its answer to another field, correct `reply.text`.",
  curl: `curl -X POST http://localhost:5678/webhook/ab12cd34/chat -H 'Content-Type: application/json' \\
  -d '{"action": "sendMessage", "sessionId": "5f0c", "chatInput": "Where is my order?"}'`,
  definition: (body) => `defineProtocol({
  name: 'n8n',
  sessionId: '{{uuid}}',
  message: {
    path: '/webhook/{{agentId}}/chat',
    body: ${body},
  },
  reply: { text: 'output' },
  stream: {
    format: 'json-lines',
    text: ({ type, content }: { type: string; content?: string }) => (type === 'item' ? content : undefined),
    end: ({ type }: { type: string }) => type === 'end',
    error: ({ type }: { type: string }) => (type === 'error' ? 'provider_error' : undefined),
  },
})`,
  message: { paths: ['/webhook/{agentId}/chat'], keys: ['chatInput'], query: ['action'] },
  computed: { action: "'sendMessage'", sessionId: 'sessionId', chatInput: 'message' },
  messageAt: 'chatInput',
  replyKey: 'output',
  streams: () => false,
  expected: 'It is on its way – tomorrow.',
  whole: {
    reply: jsonResponse({ output: 'It is on its way – tomorrow.' }),
    error: { ...jsonResponse({ code: 0, message: 'Workflow could not be started!' }, 500), outcome: 'server_error' },
  },
  streamed: {
    reply: lines(
      { type: 'begin' },
      { type: 'item', content: 'It is on ' },
      { type: 'item', content: 'its way – tomorrow.' },
      { type: 'end' },
    ),
    error: {
      ...lines({ type: 'begin' }, { type: 'error', content: 'Rate limit reached' }, { type: 'end' }),
      outcome: 'provider_error',
    },
  },
};
