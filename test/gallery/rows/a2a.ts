import { json, sse, type GalleryRow } from '../row.ts';

const specification = 'https://a2a-protocol.org/v1.0.0/specification/';
const binding = `${specification}#9-json-rpc-protocol-binding`;
const streaming = `${specification}#312-send-streaming-message`;
const errors = `${specification}#332-error-handling`;
const authentication = `${specification}#7-authentication-and-authorization`;

const taskId = '363422be-b0f9-4692-a24d-278670e7c7#N#';
const contextId = 'c295ea44-7543-4f78-b524-7a38915ad6e4';
const ids = { taskId, contextId };

const response = (result: object) => ({ jsonrpc: '2.0', id: 1, result });
const task = (state: string, more: object = {}) => ({
  task: { id: taskId, contextId, status: { state, timestamp: '2026-01-01T10:00:00.000Z' }, ...more },
});
const status = (state: string, text?: string) =>
  response({
    statusUpdate: {
      ...ids,
      status: {
        state,
        ...(text !== undefined && { message: { role: 'ROLE_AGENT', messageId: 'm-1', parts: [{ text }] } }),
      },
    },
  });
const artifact = (text: string, append: boolean) =>
  response({
    artifactUpdate: { ...ids, artifact: { artifactId: 'a-1', parts: [{ text }] }, append, lastChunk: append },
  });
const said = [
  response(task('TASK_STATE_SUBMITTED')),
  status('TASK_STATE_WORKING', 'Thinking about it'),
  artifact('Grüß', false),
  artifact(' Gott 👋', true),
];
const answered = sse(streaming, [...said, status('TASK_STATE_COMPLETED')]);

const refused = (code: number, message: string, more: { status?: number; headers?: Record<string, string> } = {}) =>
  json(errors, { jsonrpc: '2.0', id: 1, error: { code, message } }, more);
const unauthorized = json(
  authentication,
  { error: 'The token is missing or has expired' },
  { status: 401, headers: { 'www-authenticate': 'Bearer realm="agents"' } },
);
const unavailable = refused(-32603, 'The agent is restarting', { status: 503 });

const noUsage = { notApplicable: 'replies report no tokens', source: specification };
const noTools = { notApplicable: 'agents run their tools themselves', source: specification };

const headers = { authorization: 'Bearer a-test-key', 'content-type': 'application/json', 'a2a-version': '1.0' };
const message = { messageId: 'UUID', role: 'ROLE_USER', parts: [{ text: 'Hello' }] };

export const a2aRow: GalleryRow = {
  target: { apiKey: 'a-test-key' },
  request: {
    streamed: {
      path: '/',
      headers: { ...headers, accept: 'text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: { message } },
    },
    whole: {
      path: '/',
      headers: { ...headers, accept: 'application/json' },
      body: { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } },
    },
  },
  cells: {
    streamed: { answer: answered, text: 'Grüß Gott 👋', usage: undefined, contentEvents: 2 },
    whole: {
      answer: json(
        binding,
        response(
          task('TASK_STATE_COMPLETED', { artifacts: [{ artifactId: 'a-1', parts: [{ text: 'Grüß Gott 👋' }] }] }),
        ),
      ),
      text: 'Grüß Gott 👋',
      usage: undefined,
    },
    'error inside a 200': {
      streamed: {
        answer: sse(streaming, [...said, status('TASK_STATE_FAILED', 'The tool is broken')]),
        outcome: 'server_error',
        detail: 'TASK_STATE_FAILED',
      },
      whole: {
        answer: refused(-32001, 'Task not found'),
        outcome: 'not_found',
        detail: 'Task not found',
      },
    },
    'cut stream': sse(streaming, said),
    refusal: [
      {
        answer: refused(-32603, 'Too many requests', { status: 429, headers: { 'retry-after': '3' } }),
        outcome: 'rate_limited',
        detail: 'Too many requests',
        retryAfter: 3,
      },
      { answer: unauthorized, outcome: 'unauthorized', detail: 'The token is missing or has expired' },
      { answer: refused(-32602, 'Invalid parameters'), outcome: 'bad_request', detail: 'Invalid parameters' },
      { answer: unavailable, outcome: 'server_error', detail: 'The agent is restarting' },
    ],
    'usage in parts': noUsage,
    'tool call': noTools,
    'user who leaves': {
      begins: sse(streaming, said),
      text: 'Grüß Gott 👋',
      sends: { ...message, parts: [{ text: 'Bye' }] },
    },
    retry: { answer: unavailable, outcome: 'server_error', detail: 'The agent is restarting' },
    try: { answer: unauthorized, outcome: 'unauthorized', detail: 'The token is missing or has expired' },
    'check rules': { load: () => import('../broken/a2a.ts') },
  },
};
