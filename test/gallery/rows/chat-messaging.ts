import { json, type GalleryRow } from '../row.ts';

const section = (number: string): string => `The description of the chat messaging API, section ${number}`;

const dates = { createdAt: '2026-01-01T10:00:00.000Z', updatedAt: '2026-01-01T10:00:01.000Z' };
const answer = json(section('2.2'), {
  success: true,
  data: {
    response: 'Grüß Gott 👋',
    chatId: 'chat-1-#N#',
    sessionId: 'session-1',
    isSession: true,
    ...dates,
    cost: 0.002,
  },
});
const refused = (status: number, error: string, headers: Record<string, string> = {}) =>
  json(section('7'), { success: false, error }, { status, headers });

const noStreams = { notApplicable: 'replies are not streamed', source: section('6') };
const noUsage = { notApplicable: 'replies report no tokens', source: section('2.2') };
const noTools = { notApplicable: 'replies call no tools of the client', source: section('2.2') };

export const chatMessagingRow: GalleryRow = {
  target: { agentId: 'agent-1', apiKey: 'a-test-key' },
  created: json(section('4.2'), { success: true, data: { sessionId: 'session-1' } }, { status: 201 }),
  request: {
    streamed: noStreams,
    whole: {
      path: '/api/developer/chat/messages',
      headers: { authorization: 'Bearer a-test-key', 'content-type': 'application/json', accept: 'application/json' },
      body: { agentId: 'agent-1', sessionId: 'session-1', message: 'Hello' },
    },
  },
  cells: {
    streamed: noStreams,
    whole: { answer, text: 'Grüß Gott 👋', usage: undefined },
    'error inside a 200': { notApplicable: 'errors have an error status', source: section('7') },
    'cut stream': noStreams,
    refusal: [
      {
        answer: refused(429, 'Chat provider error', { 'retry-after': '5' }),
        outcome: 'provider_rate_limited',
        detail: 'Chat provider error',
        retryAfter: 5,
      },
      { answer: refused(404, 'Agent not found'), outcome: 'agent_not_found', detail: 'Agent not found' },
      {
        answer: refused(400, 'Agent does not have chat enabled'),
        outcome: 'chat_disabled',
        detail: 'Agent does not have chat enabled',
      },
      { answer: refused(500, 'Internal server error'), outcome: 'internal_error', detail: 'Internal server error' },
    ],
    'usage in parts': noUsage,
    'tool call': noTools,
    'user who leaves': {
      begins: { ...answer, body: '{"success": true, "data": {"response": "Gr' },
      text: '',
      sends: { agentId: 'agent-1', sessionId: 'session-1', message: 'Bye' },
    },
    retry: {
      answer: refused(503, 'Chat provider error'),
      outcome: 'provider_error',
      detail: 'Chat provider error',
    },
    try: { answer: refused(401, 'Invalid API key'), outcome: 'unauthorized', detail: 'Invalid API key' },
    'check rules': { load: () => import('../broken/chat-messaging.ts') },
  },
};
