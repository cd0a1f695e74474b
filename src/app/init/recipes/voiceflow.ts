import { jsonResponse, type Recipe } from './recipe.ts';

export const voiceflow: Recipe = {
  name: 'voiceflow',
  title: 'Voiceflow',
  docs: 'https://docs.voiceflow.com/reference/stateinteract-1',
  text: 'The Dialog API. A session is a user whose id the client chooses, and begins with a `launch`, whose greeting is not a turn. The key is sent as `Authorization`, without `Bearer`. A reply is a list of traces: those of the types `text` and `speak` are joined by line breaks.',
  curl: `curl https://general-runtime.voiceflow.com/state/user/USER/interact \\
  -H "Authorization: $VOICEFLOW_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"action": {"type": "text", "payload": "Where is my order?"}}'`,
  definition: (body, creation) => `type Trace = { type: string; payload?: { message?: string } };

defineProtocol({
  name: 'voiceflow',
  authorize: (apiKey) => ({ Authorization: apiKey }),
  sessionId: '{{uuid}}',
  createSession: { path: '/state/user/{{sessionId}}/interact', body: ${creation} },
  message: {
    path: '/state/user/{{sessionId}}/interact',
    body: ${body},
  },
  reply: {
    text: (traces: Trace[]) =>
      traces.flatMap(({ type, payload }) => (/^(text|speak)$/.test(type) ? (payload?.message ?? []) : [])).join('\\n'),
  },
})`,
  creationBody: { action: { type: 'launch' } },
  message: { paths: ['/state/user/*/interact'], keys: ['action'] },
  creation: { paths: ['/state/user/*/interact'], keys: ['action'] },
  computed: { 'action.payload': 'message' },
  messageAt: 'action.payload',
  authorize: (apiKey) => ({ Authorization: apiKey }),
  streams: () => false,
  created: [jsonResponse([{ type: 'text', payload: { message: 'Welcome!' } }])],
  expected: 'It is on its way.\nAnything else?',
  whole: {
    reply: jsonResponse([
      { type: 'debug', payload: { message: 'matched an intent' } },
      { type: 'text', payload: { message: 'It is on its way.', slate: {} } },
      { type: 'speak', payload: { type: 'message', message: 'Anything else?' } },
      { type: 'choice', payload: { buttons: [] } },
    ]),
    error: { ...jsonResponse({ code: 401, status: 'Unauthorized' }, 401), outcome: 'unauthorized' },
  },
};
