import { json, sse, type GalleryRow } from '../row.ts';

const create = 'https://docs.claude.com/en/api/messages';
const streaming = 'https://docs.claude.com/en/docs/build-with-claude/streaming';
const errors = 'https://docs.claude.com/en/api/errors';
const limits = 'https://docs.claude.com/en/api/rate-limits';
const caching = 'https://docs.claude.com/en/docs/build-with-claude/prompt-caching';
const tools = 'https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use';

const message = (content: object[], more: object = {}) => ({
  id: 'msg_01XFDUDYJgAACzvnptvVoYE#N#',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content,
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 25, output_tokens: 15 },
  ...more,
});
const text = (words: string) => ({ type: 'text', text: words });

const event = (type: string, fields: object = {}) => [type, { type, ...fields }] as const;
const starting = (usage: object = { input_tokens: 25, output_tokens: 1 }) =>
  event('message_start', { message: message([], { stop_reason: null, usage }) });
const block = (content_block: object, index = 0) => event('content_block_start', { index, content_block });
const delta = (fields: object, index = 0) => event('content_block_delta', { index, delta: fields });
const stop = (index = 0) => event('content_block_stop', { index });
const says = (words: string, index = 0) => delta({ type: 'text_delta', text: words }, index);
const ending = (stop_reason: string, usage: object = { output_tokens: 15 }) => [
  event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage }),
  event('message_stop'),
];
const said = [starting(), block(text('')), event('ping'), says('Grüß'), says(' Gott 👋')];
const answered = sse(streaming, [...said, stop(), ...ending('end_turn')]);

const cached = {
  input_tokens: 50,
  cache_creation_input_tokens: 248,
  cache_read_input_tokens: 1800,
  cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 },
};
const reportedParts = {
  inputTokens: 2098,
  outputTokens: 503,
  cachedInputTokens: 1800,
  cacheWriteTokens: 248,
  cacheWrite1hTokens: 100,
};

const call = { type: 'tool_use', id: 'toolu_01T1x1fJ34qAmk2tNTrN7Up6', name: 'get_weather' };

const refused = (source: string, status: number, error: object, headers: Record<string, string> = {}) =>
  json(
    source,
    { type: 'error', error, request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy' },
    { status, headers: { 'request-id': 'req_011CSHoEeqs5C35K2UUqR7Fy', ...headers } },
  );
const overloaded = { type: 'overloaded_error', message: 'Overloaded' };

const body = { model: 'claude-sonnet-4-5', max_tokens: 1024, messages: [{ role: 'user', content: 'Hello' }] };
const headers = { 'x-api-key': 'a-test-key', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' };

export const anthropicMessagesRow: GalleryRow = {
  target: { agentId: 'claude-sonnet-4-5', apiKey: 'a-test-key' },
  request: {
    streamed: {
      path: '/v1/messages',
      headers: { ...headers, accept: 'text/event-stream' },
      body: { ...body, stream: true },
    },
    whole: { path: '/v1/messages', headers: { ...headers, accept: 'application/json' }, body },
  },
  cells: {
    streamed: {
      answer: answered,
      text: 'Grüß Gott 👋',
      usage: { inputTokens: 25, outputTokens: 15 },
      contentEvents: 2,
    },
    whole: {
      answer: json(create, message([text('Grüß Gott 👋')])),
      text: 'Grüß Gott 👋',
      usage: { inputTokens: 25, outputTokens: 15 },
    },
    'error inside a 200': {
      streamed: {
        answer: sse(streaming, [...said, event('error', { error: overloaded })]),
        outcome: 'server_error',
        detail: 'Overloaded',
      },
      whole: {
        notApplicable: 'errors of replies that are not streamed have an error status',
        source: errors,
      },
    },
    'cut stream': sse(streaming, said),
    refusal: [
      {
        answer: refused(
          limits,
          429,
          { type: 'rate_limit_error', message: 'This request would exceed your rate limit' },
          { 'retry-after': '12', 'anthropic-ratelimit-requests-remaining': '0' },
        ),
        outcome: 'rate_limited',
        detail: 'This request would exceed your rate limit',
        retryAfter: 12,
      },
      { answer: refused(errors, 529, overloaded), outcome: 'server_error', detail: 'Overloaded' },
      {
        answer: refused(errors, 400, {
          type: 'invalid_request_error',
          message: 'Your credit balance is too low to access the Anthropic API.',
        }),
        outcome: 'forbidden',
        detail: 'its quota or credit is used up',
      },
      {
        answer: refused(errors, 404, { type: 'not_found_error', message: 'model: claude-none' }),
        outcome: 'agent_not_found',
        detail: 'model: claude-none',
      },
    ],
    'usage in parts': {
      streamed: {
        answer: sse(caching, [
          starting({ ...cached, output_tokens: 1 }),
          block({ type: 'thinking', thinking: '', signature: '' }),
          delta({ type: 'thinking_delta', thinking: 'A greeting.' }),
          delta({ type: 'signature_delta', signature: 'EqQBCgIYAhIM' }),
          stop(),
          block(text(''), 1),
          says('Hi.', 1),
          stop(1),
          ...ending('end_turn', { output_tokens: 503 }),
        ]),
        text: 'Hi.',
        usage: reportedParts,
        contentEvents: 2,
        reasoned: true,
      },
      whole: {
        answer: json(caching, message([text('Hi.')], { usage: { ...cached, output_tokens: 503 } })),
        text: 'Hi.',
        usage: reportedParts,
      },
    },
    'tool call': {
      streamed: {
        answers: [
          sse(streaming, [
            starting(),
            block(text('')),
            says('Let me check.'),
            stop(),
            block({ ...call, input: {} }, 1),
            delta({ type: 'input_json_delta', partial_json: '' }, 1),
            delta({ type: 'input_json_delta', partial_json: '{"location": "S' }, 1),
            delta({ type: 'input_json_delta', partial_json: 'ão Paulo"}' }, 1),
            stop(1),
            ...ending('tool_use'),
          ]),
          answered,
        ],
        tool: 'get_weather',
        arguments: { location: 'São Paulo' },
        returns: { celsius: 21 },
        sends: { type: 'tool_result', tool_use_id: call.id, content: '{"celsius":21}' },
      },
      whole: {
        answers: [
          json(tools, message([{ ...call, input: { location: 'Paris' } }], { stop_reason: 'tool_use' })),
          json(create, message([text('It is mild.')], { id: 'msg_02' })),
        ],
        tool: 'get_weather',
        arguments: { location: 'Paris' },
        returns: 'mild',
        sends: { type: 'tool_result', tool_use_id: call.id, content: 'mild' },
      },
    },
    'user who leaves': {
      begins: sse(streaming, said),
      text: 'Grüß Gott 👋',
      sends: { role: 'assistant', content: 'Grüß Gott 👋' },
    },
    retry: { answer: refused(errors, 529, overloaded), outcome: 'server_error', detail: 'Overloaded' },
    try: {
      answer: refused(errors, 401, { type: 'authentication_error', message: 'invalid x-api-key' }),
      outcome: 'unauthorized',
      detail: 'invalid x-api-key',
    },
    'check rules': { load: () => import('../broken/anthropic-messages.ts') },
  },
};
