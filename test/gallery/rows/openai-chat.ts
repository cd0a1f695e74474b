import { json, sse, type GalleryRow } from '../row.ts';

const create = 'https://platform.openai.com/docs/api-reference/chat/create';
const streaming = 'https://platform.openai.com/docs/api-reference/chat-streaming/streaming';
const errors = 'https://platform.openai.com/docs/guides/error-codes';
const tools = 'https://platform.openai.com/docs/guides/function-calling?api-mode=chat';
/** The client throws on an event with an `error`. */
const client = 'https://github.com/openai/openai-node/blob/master/src/core/streaming.ts';
/** A gateway with the same API. */
const gateway = 'https://openrouter.ai/docs/api/reference/errors-and-debugging';

const usage = { prompt_tokens: 19, completion_tokens: 4, total_tokens: 23 };
const inParts = {
  ...usage,
  completion_tokens: 24,
  total_tokens: 43,
  prompt_tokens_details: { cached_tokens: 16, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 20, audio_tokens: 0 },
};
const reported = { inputTokens: 19, outputTokens: 24, cachedInputTokens: 16, reasoningTokens: 20 };

const completion = (message: object, finish = 'stop', counted: object = usage) => ({
  id: 'chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6P#N#',
  object: 'chat.completion',
  created: 1741569952,
  model: 'gpt-5.2',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: null, refusal: null, annotations: [], ...message },
      logprobs: null,
      finish_reason: finish,
    },
  ],
  usage: counted,
  service_tier: 'default',
});

const chunk = (choices: object[], counted: object | null = null) => ({
  id: 'chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6P#N#',
  object: 'chat.completion.chunk',
  created: 1741569952,
  model: 'gpt-5.2',
  service_tier: 'default',
  system_fingerprint: 'fp_44709d6fcb',
  choices,
  usage: counted,
  // Added by the API so that the sizes of events do not show their texts.
  obfuscation: 'a7Bq',
});
const delta = (fields: object, finish: string | null = null) =>
  chunk([{ index: 0, delta: fields, logprobs: null, finish_reason: finish }]);

const opening = delta({ role: 'assistant', content: '', refusal: null });
const said = [opening, delta({ content: 'Grüß' }), delta({ content: ' Gott 👋' })];
const ending = [delta({}, 'stop'), chunk([], usage), '[DONE]'];

const call = {
  id: 'call_DdmO9pD3xa9XTPNJ32zg2hcA',
  type: 'function',
  function: { name: 'get_weather', arguments: '' },
};
const calls = (first: object) => delta({ tool_calls: [{ index: 0, ...first }] });

const refused = (status: number, error: object, headers: Record<string, string> = {}) =>
  json(errors, { error: { param: null, ...error } }, { status, headers });

const body = { model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hello' }] };
const headers = { authorization: 'Bearer a-test-key', 'content-type': 'application/json' };

export const openaiChatRow: GalleryRow = {
  target: { agentId: 'gpt-5.2', apiKey: 'a-test-key' },
  request: {
    streamed: {
      path: '/v1/chat/completions',
      headers: { ...headers, accept: 'text/event-stream' },
      body: { ...body, stream: true, stream_options: { include_usage: true } },
    },
    whole: { path: '/v1/chat/completions', headers: { ...headers, accept: 'application/json' }, body },
  },
  cells: {
    streamed: {
      answer: sse(streaming, [...said, ...ending]),
      text: 'Grüß Gott 👋',
      usage: { inputTokens: 19, outputTokens: 4 },
      contentEvents: 2,
    },
    whole: {
      answer: json(create, completion({ content: 'Grüß Gott 👋' })),
      text: 'Grüß Gott 👋',
      usage: { inputTokens: 19, outputTokens: 4 },
    },
    'error inside a 200': {
      streamed: {
        answer: sse(client, [
          ...said,
          { error: { message: 'Rate limit reached', type: 'tokens', param: null, code: 'rate_limit_exceeded' } },
        ]),
        outcome: 'rate_limited',
        detail: 'Rate limit reached',
      },
      whole: {
        answer: json(gateway, { error: { code: 502, message: 'Provider returned error' } }),
        outcome: 'server_error',
        detail: 'Provider returned error',
      },
    },
    'cut stream': sse(streaming, said),
    refusal: [
      {
        answer: refused(
          429,
          { message: 'Rate limit reached for gpt-5.2', type: 'requests', code: 'rate_limit_exceeded' },
          { 'retry-after': '20', 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '20s' },
        ),
        outcome: 'rate_limited',
        detail: 'Rate limit reached for gpt-5.2',
        retryAfter: 20,
      },
      {
        answer: refused(429, {
          message: 'You exceeded your current quota, please check your plan and billing details.',
          type: 'insufficient_quota',
          code: 'insufficient_quota',
        }),
        outcome: 'forbidden',
        detail: 'its quota or credit is used up',
      },
      {
        answer: refused(401, {
          message: 'Incorrect API key provided',
          type: 'invalid_request_error',
          code: 'invalid_api_key',
        }),
        outcome: 'unauthorized',
        detail: 'Incorrect API key provided',
      },
      {
        answer: refused(404, {
          message: 'The model `gpt-none` does not exist or you do not have access to it.',
          type: 'invalid_request_error',
          code: 'model_not_found',
        }),
        outcome: 'agent_not_found',
        detail: 'The model `gpt-none` does not exist',
      },
      {
        answer: refused(503, { message: 'The engine is currently overloaded', type: 'server_error', code: null }),
        outcome: 'server_error',
        detail: 'The engine is currently overloaded',
      },
    ],
    'usage in parts': {
      streamed: {
        answer: sse(streaming, [...said, delta({}, 'stop'), chunk([], inParts), '[DONE]']),
        text: 'Grüß Gott 👋',
        usage: reported,
        contentEvents: 2,
      },
      whole: { answer: json(create, completion({ content: 'Hi.' }, 'stop', inParts)), text: 'Hi.', usage: reported },
    },
    'tool call': {
      streamed: {
        answers: [
          sse(tools, [
            delta({ role: 'assistant', content: null }),
            calls(call),
            calls({ function: { arguments: '{"location":"S' } }),
            calls({ function: { arguments: 'ão Paulo"}' } }),
            delta({}, 'tool_calls'),
            chunk([], usage),
            '[DONE]',
          ]),
          sse(streaming, [...said, ...ending]),
        ],
        tool: 'get_weather',
        arguments: { location: 'São Paulo' },
        returns: { celsius: 21 },
        sends: { role: 'tool', tool_call_id: call.id, content: '{"celsius":21}' },
      },
      whole: {
        answers: [
          json(
            tools,
            completion(
              { tool_calls: [{ ...call, function: { name: 'get_weather', arguments: '{"location":"Paris"}' } }] },
              'tool_calls',
            ),
          ),
          json(create, completion({ content: 'It is mild.' })),
        ],
        tool: 'get_weather',
        arguments: { location: 'Paris' },
        returns: 'mild',
        sends: { role: 'tool', tool_call_id: call.id, content: 'mild' },
      },
    },
    'user who leaves': {
      begins: sse(streaming, said),
      text: 'Grüß Gott 👋',
      sends: { role: 'assistant', content: 'Grüß Gott 👋' },
    },
    retry: {
      answer: refused(500, { message: 'The server had an error', type: 'server_error', code: null }),
      outcome: 'server_error',
      detail: 'The server had an error',
    },
    try: {
      answer: refused(401, {
        message: 'Incorrect API key provided',
        type: 'invalid_request_error',
        code: 'invalid_api_key',
      }),
      outcome: 'unauthorized',
      detail: 'Incorrect API key provided',
    },
    'check rules': { load: () => import('../broken/openai-chat.ts') },
  },
};
