import { json, sse, type GalleryRow } from '../row.ts';

const create = 'https://platform.openai.com/docs/api-reference/responses/create';
const streaming = 'https://platform.openai.com/docs/api-reference/responses-streaming';
const errors = 'https://platform.openai.com/docs/guides/error-codes';
const tools = 'https://platform.openai.com/docs/guides/function-calling';

const usage = {
  input_tokens: 36,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 43,
};
const reported = { inputTokens: 36, outputTokens: 7, cachedInputTokens: 0, reasoningTokens: 0 };
const inParts = {
  ...usage,
  input_tokens_details: { cached_tokens: 32 },
  output_tokens: 87,
  output_tokens_details: { reasoning_tokens: 80 },
  total_tokens: 123,
};
const reportedParts = { inputTokens: 36, outputTokens: 87, cachedInputTokens: 32, reasoningTokens: 80 };

const id = 'resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d379#N#';
const itemId = 'msg_67ccd2bf17f0819081ff3bb2cf6508e60bb6a6b452d379#N#';
const part = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });
const message = (content: object[], status = 'completed') => ({
  type: 'message',
  id: itemId,
  status,
  role: 'assistant',
  content,
});
const response = (output: object[], more: object = {}) => ({
  id,
  object: 'response',
  created_at: 1741476542,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  model: 'gpt-5.2-2025-12-11',
  output,
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: true,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  truncation: 'disabled',
  usage,
  user: null,
  metadata: {},
  ...more,
});
const begun = { status: 'in_progress', usage: null };

interface ResponseEvent {
  type: string;
  [name: string]: unknown;
}

/** Returns the events, numbered in their order. */
const numbered = (events: readonly ResponseEvent[]) =>
  events.map((event, sequence_number) => ({ ...event, sequence_number }));
const stream = (...events: ResponseEvent[]) =>
  sse(
    streaming,
    numbered(events).map((event) => [event.type, event]),
  );
const opening = [
  { type: 'response.created', response: response([], begun) },
  { type: 'response.in_progress', response: response([], begun) },
];
const place = { item_id: itemId, output_index: 0, content_index: 0 };
const says = (delta: string) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] });
const said = [
  ...opening,
  { type: 'response.output_item.added', output_index: 0, item: message([], 'in_progress') },
  { type: 'response.content_part.added', ...place, part: part('') },
  says('Grüß'),
  says(' Gott 👋'),
];
const answered = (counted: object) => [
  ...said,
  { type: 'response.output_text.done', ...place, text: 'Grüß Gott 👋', logprobs: [] },
  { type: 'response.content_part.done', ...place, part: part('Grüß Gott 👋') },
  { type: 'response.output_item.done', output_index: 0, item: message([part('Grüß Gott 👋')]) },
  { type: 'response.completed', response: response([message([part('Grüß Gott 👋')])], { usage: counted }) },
];

const call = {
  type: 'function_call',
  id: 'fc_67ca09c6bedc8190a7abfec07b1a1332096610f474011cc0',
  call_id: 'call_unLAR8MvFNptuiZK6K6HCy5k',
  name: 'get_weather',
  status: 'completed',
};
const calling = (text: string) => ({ ...call, arguments: text });
const called = { item_id: call.id, output_index: 0 };

const callsTool = [
  ...opening,
  { type: 'response.output_item.added', output_index: 0, item: { ...calling(''), status: 'in_progress' } },
  { type: 'response.function_call_arguments.delta', ...called, delta: '{"location":"S' },
  { type: 'response.function_call_arguments.delta', ...called, delta: 'ão Paulo"}' },
  { type: 'response.function_call_arguments.done', ...called, arguments: '{"location":"São Paulo"}' },
  { type: 'response.output_item.done', output_index: 0, item: calling('{"location":"São Paulo"}') },
  { type: 'response.completed', response: response([calling('{"location":"São Paulo"}')]) },
];
const failed = [
  ...said,
  {
    type: 'response.failed',
    response: response([], {
      status: 'failed',
      error: { code: 'server_error', message: 'The model failed to generate a response.' },
      usage: null,
    }),
  },
];

/** Exported events: the row over WebSocket sends them as frames. */
export const responseEvents = {
  said: numbered(said),
  answered: numbered(answered(usage)),
  answeredInParts: numbered(answered(inParts)),
  callsTool: numbered(callsTool),
  failed: numbered(failed),
  reported,
  reportedParts,
  callId: call.call_id,
};

const refused = (status: number, error: object, headers: Record<string, string> = {}) =>
  json(errors, { error: { param: null, ...error } }, { status, headers });
const badKey = refused(401, {
  message: 'Incorrect API key provided',
  type: 'invalid_request_error',
  code: 'invalid_api_key',
});

const headers = { authorization: 'Bearer a-test-key', 'content-type': 'application/json' };

export const openaiResponsesRow: GalleryRow = {
  target: { agentId: 'gpt-5.2', apiKey: 'a-test-key' },
  request: {
    streamed: {
      path: '/v1/responses',
      headers: { ...headers, accept: 'text/event-stream' },
      body: { model: 'gpt-5.2', stream: true, input: 'Hello' },
    },
    whole: {
      path: '/v1/responses',
      headers: { ...headers, accept: 'application/json' },
      body: { model: 'gpt-5.2', input: 'Hello' },
    },
  },
  cells: {
    streamed: { answer: stream(...answered(usage)), text: 'Grüß Gott 👋', usage: reported, contentEvents: 2 },
    whole: {
      answer: json(create, response([message([part('Grüß Gott 👋')])])),
      text: 'Grüß Gott 👋',
      usage: reported,
    },
    'error inside a 200': {
      streamed: {
        answer: stream(...failed),
        outcome: 'server_error',
        detail: 'The model failed to generate a response.',
      },
      whole: {
        answer: json(
          create,
          response([], { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Too many requests' } }),
        ),
        outcome: 'rate_limited',
        detail: 'Too many requests',
      },
    },
    'cut stream': stream(...said),
    refusal: [
      {
        answer: refused(
          429,
          { message: 'Rate limit reached for gpt-5.2', type: 'tokens', code: 'rate_limit_exceeded' },
          { 'retry-after': '7', 'x-ratelimit-remaining-tokens': '0' },
        ),
        outcome: 'rate_limited',
        detail: 'Rate limit reached for gpt-5.2',
        retryAfter: 7,
      },
      {
        answer: refused(400, {
          message: 'Previous response with id resp_1 not found.',
          type: 'invalid_request_error',
          code: 'previous_response_not_found',
        }),
        outcome: 'bad_request',
        detail: 'Previous response with id resp_1 not found.',
      },
    ],
    'usage in parts': {
      streamed: {
        answer: stream(...answered(inParts)),
        text: 'Grüß Gott 👋',
        usage: reportedParts,
        contentEvents: 2,
      },
      whole: {
        answer: json(
          create,
          response([{ type: 'reasoning', id: 'rs_1', summary: [] }, message([part('Hi.')])], { usage: inParts }),
        ),
        text: 'Hi.',
        usage: reportedParts,
      },
    },
    'tool call': {
      streamed: {
        answers: [stream(...callsTool), stream(...answered(usage))],
        tool: 'get_weather',
        arguments: { location: 'São Paulo' },
        returns: { celsius: 21 },
        sends: { type: 'function_call_output', call_id: call.call_id, output: '{"celsius":21}' },
      },
      whole: {
        answers: [
          json(tools, response([calling('{"location":"Paris"}')])),
          json(create, response([message([part('It is mild.')])], { id: 'resp_2' })),
        ],
        tool: 'get_weather',
        arguments: { location: 'Paris' },
        returns: 'mild',
        sends: { type: 'function_call_output', call_id: call.call_id, output: 'mild' },
      },
    },
    'user who leaves': {
      begins: stream(...said),
      text: 'Grüß Gott 👋',
      // The service keeps the conversation: a reply that was not completed is not continued.
      sends: { model: 'gpt-5.2', stream: true, input: 'Bye' },
    },
    retry: {
      answer: refused(500, { message: 'The server had an error', type: 'server_error', code: null }),
      outcome: 'server_error',
      detail: 'The server had an error',
    },
    try: { answer: badKey, outcome: 'unauthorized', detail: 'Incorrect API key provided' },
    'check rules': { load: () => import('../broken/openai-responses.ts') },
  },
};
