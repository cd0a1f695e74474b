import { json, sse, type GalleryRow } from '../row.ts';

const threads = 'https://docs.langchain.com/langsmith/agent-server-api/threads/create-thread';
const wait = 'https://docs.langchain.com/langsmith/agent-server-api/thread-runs/create-run-wait-for-output';
const streaming = 'https://docs.langchain.com/langsmith/streaming';
const messages = 'https://reference.langchain.com/python/langchain-core/messages/ai/AIMessage';
const doubleTexting = 'https://docs.langchain.com/langsmith/reject-concurrent';
const errors = 'https://docs.langchain.com/langsmith/agent-server-api/thread-runs/create-run-stream-output';

const threadId = '7f2a1c9e-0b6d-4c3e-9a51-2f4f7d0c1b11';
const human = (content: string) => ({ content, type: 'human', id: '0d1b7c9e-1111-4d6f-8a55-000000000001' });
const ai = (content: unknown, more: object = {}) => ({
  content,
  additional_kwargs: {},
  response_metadata: { finish_reason: 'stop', model_name: 'gpt-5.2' },
  type: 'ai',
  id: 'run--bd1fe1b6-2a8e-4a1c-#N#',
  tool_calls: [],
  invalid_tool_calls: [],
  usage_metadata: null,
  ...more,
});
const usage = { input_tokens: 11, output_tokens: 4, total_tokens: 15 };
const state = (...all: object[]) => ({ messages: all });

/** A token of a model, with the metadata of its node. */
const token = (content: unknown, more: object = {}) =>
  [
    'messages',
    [
      { ...ai(content), type: 'AIMessageChunk', tool_call_chunks: [], ...more },
      { langgraph_node: 'agent', langgraph_step: 1, ls_model_type: 'chat' },
    ],
  ] as const;
const opening = [
  ['metadata', { run_id: '1f00b3a6-5d2c-6f0a-b7a1-1a2b3c4d5e6f', attempt: 1 }],
  ['values', state(human('Hello'))],
] as const;
const said = [...opening, token(''), token('Grüß'), token(' Gott 👋')];
const final = (more: object = {}) => ['values', state(human('Hello'), ai('Grüß Gott 👋', more))] as const;
const answered = sse(streaming, [...said, final({ usage_metadata: usage })]);
const reported = { inputTokens: 11, outputTokens: 4 };

const inParts = {
  input_tokens: 2058,
  output_tokens: 60,
  total_tokens: 2118,
  input_token_details: { cache_read: 1800, cache_creation: 248 },
  output_token_details: { reasoning: 51 },
};
const reportedParts = {
  inputTokens: 2058,
  outputTokens: 60,
  cachedInputTokens: 1800,
  cacheWriteTokens: 248,
  reasoningTokens: 51,
};

const call = { name: 'get_weather', args: { location: 'São Paulo' }, id: 'call_1', type: 'tool_call' };
const calling = ai('', { tool_calls: [call], id: 'run--with-a-call' });
const sent = { role: 'tool', tool_call_id: 'call_1', name: 'get_weather', content: '{"celsius":21}' };

const refused = (source: string, status: number, detail: string, headers: Record<string, string> = {}) =>
  json(source, { detail }, { status, headers });
const busy = refused(doubleTexting, 409, 'Thread is already running a task. Wait for it to finish.');
const forbidden = refused(errors, 403, 'Invalid token');

const headers = { 'x-api-key': 'a-test-key', 'content-type': 'application/json' };
const body = { assistant_id: 'agent', input: { messages: [{ role: 'user', content: 'Hello' }] } };
const streamedBody = { ...body, stream_mode: ['messages-tuple', 'values'] };

export const langgraphRow: GalleryRow = {
  target: { agentId: 'agent', apiKey: 'a-test-key' },
  created: json(threads, {
    thread_id: threadId,
    created_at: '2026-01-01T10:00:00.000Z',
    updated_at: '2026-01-01T10:00:00.000Z',
    metadata: {},
    status: 'idle',
    values: null,
  }),
  request: {
    streamed: {
      path: `/threads/${threadId}/runs/stream`,
      headers: { ...headers, accept: 'text/event-stream' },
      body: streamedBody,
    },
    whole: { path: `/threads/${threadId}/runs/wait`, headers: { ...headers, accept: 'application/json' }, body },
  },
  cells: {
    streamed: { answer: answered, text: 'Grüß Gott 👋', usage: reported, contentEvents: 2 },
    whole: {
      answer: json(wait, state(human('Hello'), ai('Grüß Gott 👋', { usage_metadata: usage }))),
      text: 'Grüß Gott 👋',
      usage: reported,
    },
    'error inside a 200': {
      streamed: {
        answer: sse(streaming, [...said, ['error', { error: 'ValueError', message: 'the tool is broken' }]]),
        outcome: 'provider_error',
        detail: 'the tool is broken',
      },
      whole: {
        answer: json(wait, { __error__: { error: 'ValueError', message: 'the tool is broken' } }),
        outcome: 'provider_error',
        detail: 'the tool is broken',
      },
    },
    'cut stream': sse(streaming, said),
    refusal: [
      {
        answer: refused(errors, 429, 'Rate limit exceeded', { 'retry-after': '10' }),
        outcome: 'rate_limited',
        detail: 'Rate limit exceeded',
        retryAfter: 10,
      },
      { answer: busy, outcome: 'http_other', detail: 'Thread is already running a task.' },
      {
        answer: refused(errors, 404, `Thread with ID ${threadId} not found`),
        outcome: 'not_found',
        detail: 'not found',
      },
    ],
    'usage in parts': {
      streamed: {
        answer: sse(messages, [
          ...opening,
          token('', { additional_kwargs: { reasoning_content: 'A greeting.' } }),
          token('Grüß'),
          token([{ type: 'text', text: ' Gott 👋', index: 0 }]),
          final({ usage_metadata: inParts }),
        ]),
        text: 'Grüß Gott 👋',
        usage: reportedParts,
        contentEvents: 3,
        reasoned: true,
      },
      whole: {
        answer: json(messages, state(human('Hello'), ai('Hi.', { usage_metadata: inParts }))),
        text: 'Hi.',
        usage: reportedParts,
      },
    },
    'tool call': {
      streamed: {
        answers: [
          sse(streaming, [
            ...opening,
            token('', { tool_call_chunks: [{ name: 'get_weather', args: '', id: 'call_1', index: 0 }] }),
            ['values', state(human('Hello'), calling)],
          ]),
          answered,
        ],
        tool: 'get_weather',
        arguments: { location: 'São Paulo' },
        returns: { celsius: 21 },
        sends: sent,
      },
      whole: {
        answers: [json(wait, state(human('Hello'), calling)), json(wait, state(human('Hello'), calling, ai('Mild.')))],
        tool: 'get_weather',
        arguments: { location: 'São Paulo' },
        returns: { celsius: 21 },
        sends: sent,
      },
    },
    'user who leaves': {
      begins: sse(streaming, said),
      text: 'Grüß Gott 👋',
      // The server keeps the conversation.
      sends: { ...streamedBody, input: { messages: [{ role: 'user', content: 'Bye' }] } },
    },
    retry: {
      answer: refused(errors, 503, 'Service Unavailable'),
      outcome: 'server_error',
      detail: 'Service Unavailable',
    },
    try: { answer: forbidden, outcome: 'forbidden', detail: 'Invalid token' },
    'check rules': { load: () => import('../broken/langgraph.ts') },
  },
};
