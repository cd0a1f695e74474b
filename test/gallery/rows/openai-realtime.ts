import { frames, json, type GalleryRow } from '../row.ts';

const events = 'https://platform.openai.com/docs/api-reference/realtime-server-events';
const errors = 'https://platform.openai.com/docs/guides/error-codes';
const conversations = 'https://platform.openai.com/docs/guides/realtime-conversations';

const noWhole = { notApplicable: 'events are the only form of a reply', source: conversations };

const usage = {
  total_tokens: 43,
  input_tokens: 36,
  output_tokens: 7,
  input_token_details: { text_tokens: 36, audio_tokens: 0, image_tokens: 0, cached_tokens: 0 },
  output_token_details: { text_tokens: 7, audio_tokens: 0 },
};
const reported = { inputTokens: 36, outputTokens: 7, cachedInputTokens: 0 };
const inParts = {
  ...usage,
  input_token_details: { ...usage.input_token_details, cached_tokens: 32 },
};
const reportedParts = { ...reported, cachedInputTokens: 32 };

const reply = 'Grüß Gott 👋';
const response_id = 'resp_CCXHxcMy86rrKhBLDdqC#N#';
const item = { id: 'item_CCXHxcZYDWVEPXYjVqOz#N#', object: 'realtime.item', role: 'assistant' };
const response = (more: object) => ({
  object: 'realtime.response',
  id: response_id,
  status: 'in_progress',
  status_details: null,
  output: [],
  conversation_id: 'conv_CCXHw0000000000000000',
  output_modalities: ['text'],
  max_output_tokens: 'inf',
  usage: null,
  metadata: null,
  ...more,
});
const place = { response_id, item_id: item.id, output_index: 0, content_index: 0 };
const says = (delta: string) => ({ type: 'response.output_text.delta', event_id: 'event_#N#', ...place, delta });
const done = { ...item, type: 'message', status: 'completed', content: [{ type: 'output_text', text: reply }] };
const opening = [
  { type: 'conversation.item.added', event_id: 'event_1', previous_item_id: null, item: { id: 'item_user#N#' } },
  { type: 'conversation.item.done', event_id: 'event_2', previous_item_id: null, item: { id: 'item_user#N#' } },
  { type: 'response.created', event_id: 'event_3', response: response({}) },
];
const said = [
  ...opening,
  {
    type: 'response.output_item.added',
    response_id,
    output_index: 0,
    item: { ...done, status: 'in_progress', content: [] },
  },
  { type: 'response.content_part.added', ...place, part: { type: 'text', text: '' } },
  says('Grüß'),
  says(' Gott 👋'),
];
const answered = (counted: object) => [
  ...said,
  { type: 'response.output_text.done', ...place, text: reply },
  { type: 'response.content_part.done', ...place, part: { type: 'text', text: reply } },
  { type: 'response.output_item.done', response_id, output_index: 0, item: done },
  { type: 'response.done', response: response({ status: 'completed', output: [done], usage: counted }) },
];
const ended = (status: string, details: object) => [
  ...said,
  { type: 'response.done', response: response({ status, status_details: { type: status, ...details } }) },
];

const call = {
  id: 'item_CCXGbLkAyTZ3Yyj7Eq8T',
  object: 'realtime.item',
  type: 'function_call',
  status: 'completed',
  name: 'get_weather',
  call_id: 'call_sHlR7iaFwQ2YQOqm',
  arguments: '{"location":"São Paulo"}',
};
const called = { response_id, item_id: call.id, output_index: 0, call_id: call.call_id };
const callsTool = [
  ...opening,
  {
    type: 'response.output_item.added',
    response_id,
    output_index: 0,
    item: { ...call, arguments: '', status: 'in_progress' },
  },
  { type: 'response.function_call_arguments.delta', ...called, delta: '{"location":"S' },
  { type: 'response.function_call_arguments.delta', ...called, delta: 'ão Paulo"}' },
  { type: 'response.function_call_arguments.done', ...called, arguments: call.arguments },
  { type: 'response.output_item.done', response_id, output_index: 0, item: call },
  { type: 'response.done', response: response({ status: 'completed', output: [call], usage }) },
];

const error = (type: string, code: string | null, message: string) =>
  frames(events, [
    { type: 'error', event_id: 'event_890', error: { type, code, message, param: null, event_id: null } },
  ]);
const refused = (status: number, code: string, message: string, headers: Record<string, string> = {}) =>
  json(errors, { error: { type: 'invalid_request_error', code, message, param: null } }, { status, headers });
const badKey = refused(401, 'invalid_api_key', 'Incorrect API key provided');

const create = (text: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});

export const openaiRealtimeRow: GalleryRow = {
  target: { agentId: 'gpt-realtime', apiKey: 'a-test-key' },
  created: frames(events, [
    {
      type: 'session.updated',
      event_id: 'event_0',
      session: { id: 'sess_CCXHw', type: 'realtime', output_modalities: ['text'] },
    },
  ]),
  request: {
    streamed: {
      method: 'GET',
      path: '/v1/realtime?model=gpt-realtime',
      headers: { authorization: 'Bearer a-test-key', upgrade: 'websocket' },
      body: [create('Hello'), { type: 'response.create', event_id: 'response_1' }],
    },
    whole: noWhole,
  },
  cells: {
    streamed: { answer: frames(events, answered(usage)), text: reply, usage: reported, contentEvents: 2 },
    whole: noWhole,
    'error inside a 200': {
      streamed: {
        answer: frames(
          events,
          ended('failed', {
            error: {
              type: 'invalid_request_error',
              code: 'rate_limit_exceeded',
              message: 'Rate limit reached for gpt-realtime',
            },
          }),
        ),
        outcome: 'rate_limited',
        detail: 'Rate limit reached for gpt-realtime',
      },
      whole: noWhole,
    },
    'cut stream': frames(events, said),
    refusal: [
      {
        answer: refused(429, 'rate_limit_exceeded', 'Too many sessions', { 'retry-after': '7' }),
        outcome: 'rate_limited',
        detail: 'Too many sessions',
        retryAfter: 7,
      },
      { answer: badKey, outcome: 'unauthorized', detail: 'Incorrect API key provided' },
      {
        answer: error('invalid_request_error', 'invalid_value', 'Invalid value'),
        outcome: 'bad_request',
        detail: 'Invalid value',
      },
      {
        answer: error(
          'invalid_request_error',
          'session_expired',
          'Your session hit the maximum duration of 60 minutes.',
        ),
        outcome: 'connection_lost',
        detail: 'session_expired',
      },
      {
        answer: frames(events, ended('cancelled', { reason: 'turn_detected' })),
        outcome: 'truncated',
        detail: 'turn_detected',
      },
    ],
    'usage in parts': {
      streamed: { answer: frames(events, answered(inParts)), text: reply, usage: reportedParts, contentEvents: 2 },
      whole: noWhole,
    },
    'tool call': {
      streamed: {
        answers: [frames(events, callsTool), frames(events, answered(usage))],
        tool: 'get_weather',
        arguments: { location: 'São Paulo' },
        returns: { celsius: 21 },
        sends: { type: 'function_call_output', call_id: call.call_id, output: '{"celsius":21}' },
      },
      whole: noWhole,
    },
    'user who leaves': {
      begins: frames(events, said),
      text: reply,
      // The response is cancelled, and the session keeps what it had generated.
      sends: create('Bye'),
    },
    retry: {
      answer: error('server_error', null, 'The server had an error'),
      outcome: 'server_error',
      detail: 'The server had an error',
    },
    try: { answer: badKey, outcome: 'unauthorized', detail: 'Incorrect API key provided' },
    'check rules': { load: () => import('../broken/openai-realtime.ts') },
  },
};
