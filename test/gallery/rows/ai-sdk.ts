import { sse, type GalleryRow, type Raw } from '../row.ts';

const protocol = 'https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol#data-stream-protocol';
const errors = 'https://ai-sdk.dev/docs/ai-sdk-ui/error-handling';
const metadata = 'https://ai-sdk.dev/docs/ai-sdk-ui/message-metadata';
const tools = 'https://ai-sdk.dev/docs/ai-sdk-ui/chatbot-tool-usage';
const limits = 'https://ai-sdk.dev/docs/advanced/rate-limiting';

const alwaysStreamed = { notApplicable: 'every reply is a stream', source: protocol };

const stream = (source: string, ...parts: (object | string)[]): Raw =>
  sse(source, parts, { 'x-vercel-ai-ui-message-stream': 'v1', 'x-accel-buffering': 'no' });
const opening = [{ type: 'start', messageId: 'msg-68679a454370403ca14e45c#N#' }, { type: 'start-step' }];
const text = (id: string, ...deltas: string[]) => [
  { type: 'text-start', id },
  ...deltas.map((delta) => ({ type: 'text-delta', id, delta })),
];
const said = [...opening, ...text('txt-0', 'Grüß', ' Gott 👋')];
const ending = (fields: object = {}) => [
  { type: 'text-end', id: 'txt-0' },
  { type: 'finish-step' },
  { type: 'finish', finishReason: 'stop', ...fields },
  '[DONE]',
];
const answered = stream(protocol, ...said, ...ending());

const call = { toolCallId: 'call_fJdQDqnXeGxTmr4E3YPSR7Ar', toolName: 'getWeather' };

const refused = (source: string, status: number, body: string, headers: Record<string, string> = {}): Raw => ({
  source,
  status,
  headers: { 'content-type': 'text/plain;charset=UTF-8', ...headers },
  body,
});
const broken = refused(errors, 500, 'Internal Server Error');

export const aiSdkRow: GalleryRow = {
  target: { apiKey: 'a-test-key' },
  request: {
    streamed: {
      path: '/api/chat',
      headers: {
        authorization: 'Bearer a-test-key',
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: {
        id: 'UUID',
        messages: [{ id: 'user-1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
        trigger: 'submit-message',
      },
    },
    whole: alwaysStreamed,
  },
  cells: {
    streamed: { answer: answered, text: 'Grüß Gott 👋', usage: undefined, contentEvents: 2 },
    whole: alwaysStreamed,
    'error inside a 200': {
      streamed: {
        answer: stream(errors, ...said, { type: 'error', errorText: 'An error occurred.' }),
        outcome: 'provider_error',
        detail: 'An error occurred.',
      },
      whole: alwaysStreamed,
    },
    'cut stream': stream(protocol, ...said),
    refusal: [
      {
        answer: refused(limits, 429, 'Ratelimited!', { 'retry-after': '26' }),
        outcome: 'rate_limited',
        detail: 'Ratelimited!',
        retryAfter: 26,
      },
      { answer: broken, outcome: 'server_error', detail: 'Internal Server Error' },
    ],
    'usage in parts': {
      streamed: {
        answer: stream(
          metadata,
          opening[0] ?? {},
          { type: 'start-step' },
          { type: 'reasoning-start', id: 'reasoning-0' },
          { type: 'reasoning-delta', id: 'reasoning-0', delta: 'A greeting.' },
          { type: 'reasoning-end', id: 'reasoning-0' },
          ...text('txt-0', 'Hi.'),
          ...ending({
            messageMetadata: {
              model: 'gpt-5.2',
              totalUsage: {
                inputTokens: 2058,
                inputTokenDetails: { noCacheTokens: 10, cacheReadTokens: 1800, cacheWriteTokens: 248 },
                outputTokens: 60,
                outputTokenDetails: { textTokens: 9, reasoningTokens: 51 },
                totalTokens: 2118,
              },
            },
          }),
        ),
        text: 'Hi.',
        usage: {
          inputTokens: 2058,
          outputTokens: 60,
          cachedInputTokens: 1800,
          cacheWriteTokens: 248,
          reasoningTokens: 51,
        },
        contentEvents: 2,
        reasoned: true,
      },
      whole: alwaysStreamed,
    },
    'tool call': {
      streamed: {
        answers: [
          stream(
            tools,
            ...opening,
            { type: 'tool-input-start', ...call },
            { type: 'tool-input-delta', toolCallId: call.toolCallId, inputTextDelta: '{"city":"São Paulo"}' },
            { type: 'tool-input-available', ...call, input: { city: 'São Paulo' } },
            { type: 'finish-step' },
            { type: 'finish', finishReason: 'tool-calls' },
            '[DONE]',
          ),
          answered,
        ],
        tool: 'getWeather',
        arguments: { city: 'São Paulo' },
        returns: { celsius: 21 },
        sends: {
          type: 'tool-getWeather',
          toolCallId: call.toolCallId,
          state: 'output-available',
          input: { city: 'São Paulo' },
          output: { celsius: 21 },
        },
      },
      whole: alwaysStreamed,
    },
    'user who leaves': {
      begins: stream(protocol, ...said),
      text: 'Grüß Gott 👋',
      sends: { id: 'assistant-2', role: 'assistant', parts: [{ type: 'text', text: 'Grüß Gott 👋' }] },
    },
    retry: { answer: broken, outcome: 'server_error', detail: 'Internal Server Error' },
    try: {
      answer: refused(errors, 401, 'Unauthorized: sign in first'),
      outcome: 'unauthorized',
      detail: 'Unauthorized: sign in first',
    },
    'check rules': { load: () => import('../broken/ai-sdk.ts') },
  },
};
