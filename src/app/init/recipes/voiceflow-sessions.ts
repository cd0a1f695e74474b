import { jsonResponse, type Recipe } from './recipe.ts';

export const voiceflowSessions: Recipe = {
  name: 'voiceflow-sessions',
  title: 'Voiceflow with session keys',
  docs: 'https://docs.voiceflow.com/',
  text: 'The key of the project creates a session, whose own key is the `Authorization` of its requests; results never contain it. The session begins with a `launch`, whose greeting is not a turn. Pass both commands to `init`, first the one that creates the session.',
  curl: `curl https://general-runtime.voiceflow.com/v4/session -H "Authorization: $VOICEFLOW_API_KEY" \\
  -H 'Content-Type: application/json' -d '{}'
curl https://general-runtime.voiceflow.com/v4/interact -H 'Authorization: SESSION' -H 'Content-Type: application/json' \\
  -d '{"action": {"type": "text", "payload": "Where is my order?"}}'`,
  definition: (body, creation) => `type Reply = { traces: { type: string; payload?: { message?: string } }[] };
const headers = { Authorization: '{{values.key}}' };

defineProtocol({
  name: 'voiceflow-sessions',
  authorize: (apiKey) => ({ Authorization: apiKey }),
  createSession: [
    { path: '/v4/session', body: ${creation}, values: { key: 'sessionKey' } },
    { path: '/v4/interact', headers, body: { action: { type: 'launch' } } },
  ],
  message: {
    path: '/v4/interact',
    headers,
    body: ${body},
  },
  reply: {
    text: ({ traces }: Reply) =>
      traces.flatMap(({ type, payload }) => (/^(text|speak)$/.test(type) ? (payload?.message ?? []) : [])).join('\\n'),
  },
})`,
  message: { paths: ['/v4/interact'], keys: ['action'] },
  creation: { paths: ['/v4/session'], keys: [] },
  needsCreation: true,
  usesKeyOfCreation: true,
  computed: { 'action.payload': 'message' },
  messageAt: 'action.payload',
  authorize: (apiKey) => ({ Authorization: apiKey }),
  streams: () => false,
  created: [
    jsonResponse({ sessionKey: 'session-key-1', expiresIn: 3600 }, 201),
    jsonResponse({ traces: [{ type: 'text', payload: { message: 'Welcome!' } }] }),
  ],
  expected: 'It is on its way.\nAnything else?',
  whole: {
    reply: jsonResponse({
      traces: [
        { type: 'debug', payload: { message: 'matched an intent' } },
        { type: 'text', payload: { message: 'It is on its way.' } },
        { type: 'text', payload: { message: 'Anything else?' } },
        { type: 'choice', payload: { buttons: [] } },
      ],
    }),
    error: { ...jsonResponse({ message: 'unknown session key' }, 401), outcome: 'unauthorized' },
  },
};
