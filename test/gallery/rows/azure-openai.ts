import { json, sse, type GalleryRow } from '../row.ts';

const reference = 'https://learn.microsoft.com/azure/ai-foundry/openai/latest';
const filters = 'https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter';
const streaming = 'https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-streaming';
const quota = 'https://learn.microsoft.com/azure/ai-foundry/openai/how-to/quota';
const caching = 'https://learn.microsoft.com/azure/ai-foundry/openai/how-to/prompt-caching';
const tools = 'https://learn.microsoft.com/azure/ai-foundry/openai/how-to/function-calling';

const safe = {
  hate: { filtered: false, severity: 'safe' },
  self_harm: { filtered: false, severity: 'safe' },
  sexual: { filtered: false, severity: 'safe' },
  violence: { filtered: false, severity: 'safe' },
};
const prompt = [
  { prompt_index: 0, content_filter_results: { ...safe, jailbreak: { filtered: false, detected: false } } },
];

const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
const reported = { inputTokens: 9, outputTokens: 4 };
const inParts = {
  prompt_tokens: 1566,
  completion_tokens: 1518,
  total_tokens: 3084,
  prompt_tokens_details: { audio_tokens: 0, cached_tokens: 1408 },
  completion_tokens_details: { audio_tokens: 0, reasoning_tokens: 576, accepted_prediction_tokens: 0 },
};
const reportedParts = { inputTokens: 1566, outputTokens: 1518, cachedInputTokens: 1408, reasoningTokens: 576 };

const completion = (message: object, finish_reason = 'stop', counted: object = usage) => ({
  choices: [
    {
      content_filter_results: finish_reason === 'stop' ? safe : {},
      finish_reason,
      index: 0,
      logprobs: null,
      message: { annotations: [], content: null, refusal: null, role: 'assistant', ...message },
    },
  ],
  created: 1741569952,
  id: 'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJK#N#',
  model: 'gpt-4.1-2025-04-14',
  object: 'chat.completion',
  prompt_filter_results: prompt,
  system_fingerprint: 'fp_f5bdcc3276',
  usage: counted,
});

/** The first event has neither an id nor choices. */
const first = { choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: prompt };
const chunk = (choices: object[], counted: object | null = null) => ({
  choices,
  created: 1741569952,
  id: 'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJK#N#',
  model: 'gpt-4.1-2025-04-14',
  object: 'chat.completion.chunk',
  system_fingerprint: 'fp_f5bdcc3276',
  usage: counted,
});
const delta = (fields: object, finish_reason: string | null = null) =>
  chunk([{ content_filter_results: {}, delta: fields, finish_reason, index: 0, logprobs: null }]);
const opening = [first, delta({ content: '', refusal: null, role: 'assistant' })];
const said = [...opening, delta({ content: 'Grüß' }), delta({ content: ' Gott 👋' })];
/** An event of the asynchronous filter: no delta, and positions in the text. */
const filtered = {
  id: '',
  object: '',
  created: 0,
  model: '',
  choices: [
    {
      index: 0,
      finish_reason: null,
      content_filter_results: safe,
      content_filter_offsets: { check_offset: 44, start_offset: 44, end_offset: 198 },
    },
  ],
};
const ending = (finish = 'stop', counted: object = usage) => [delta({}, finish), chunk([], counted), '[DONE]'];
const answered = sse(streaming, [...said, ...ending()]);

const call = { id: 'call_gWJ4nm2XbzY', type: 'function', function: { name: 'get_weather', arguments: '' } };
const calls = (fields: object) => delta({ tool_calls: [{ index: 0, ...fields }] });

const refused = (source: string, status: number, error: object, headers: Record<string, string> = {}) =>
  json(source, { error }, { status, headers: { 'apim-request-id': 'a4e1b5d2', ...headers } });
const wrongKey = refused(reference, 401, {
  code: '401',
  message: 'Access denied due to invalid subscription key or wrong API endpoint.',
});
const unavailable = refused(reference, 503, { code: 'InternalServerError', message: 'The service is unavailable' });

const body = { model: 'gpt-4.1', messages: [{ role: 'user', content: 'Hello' }] };
const headers = { 'api-key': 'a-test-key', 'content-type': 'application/json' };

export const azureOpenaiRow: GalleryRow = {
  target: { agentId: 'gpt-4.1', apiKey: 'a-test-key' },
  request: {
    streamed: {
      path: '/openai/v1/chat/completions',
      headers: { ...headers, accept: 'text/event-stream' },
      body: { ...body, stream: true, stream_options: { include_usage: true } },
    },
    whole: { path: '/openai/v1/chat/completions', headers: { ...headers, accept: 'application/json' }, body },
  },
  cells: {
    streamed: { answer: answered, text: 'Grüß Gott 👋', usage: reported, contentEvents: 2 },
    whole: {
      answer: json(reference, completion({ content: 'Grüß Gott 👋' })),
      text: 'Grüß Gott 👋',
      usage: reported,
    },
    'error inside a 200': {
      streamed: {
        answer: sse(filters, [
          ...said,
          {
            error: {
              message:
                "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
              type: null,
              param: 'prompt',
              code: 'content_filter',
              status: 400,
            },
          },
        ]),
        outcome: 'bad_request',
        detail: 'The response was filtered',
      },
      whole: { notApplicable: 'errors of replies that are not streamed have an error status', source: filters },
    },
    'cut stream': sse(streaming, said),
    refusal: [
      {
        answer: refused(
          quota,
          429,
          {
            code: '429',
            message: 'Requests to the ChatCompletions_Create Operation have exceeded the token rate limit.',
          },
          { 'retry-after': '58', 'retry-after-ms': '57900', 'x-ratelimit-remaining-tokens': '0' },
        ),
        outcome: 'rate_limited',
        detail: 'have exceeded the token rate limit',
        retryAfter: 57.9,
      },
      {
        answer: refused(filters, 400, {
          message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
          type: null,
          param: 'prompt',
          code: 'content_filter',
          status: 400,
          innererror: {
            code: 'ResponsibleAIPolicyViolation',
            content_filter_result: { ...safe, violence: { filtered: true, severity: 'medium' } },
          },
        }),
        outcome: 'bad_request',
        detail: 'content_filter: The response was filtered',
      },
      {
        answer: refused(reference, 404, {
          code: 'DeploymentNotFound',
          message: 'The API deployment for this resource does not exist.',
        }),
        outcome: 'agent_not_found',
        detail: 'The API deployment for this resource does not exist.',
      },
      { answer: wrongKey, outcome: 'unauthorized', detail: 'Access denied due to invalid subscription key' },
    ],
    'usage in parts': {
      streamed: {
        // The asynchronous filter, and a reply that it ended.
        answer: sse(caching, [...said, filtered, ...ending('content_filter', inParts)]),
        text: 'Grüß Gott 👋',
        usage: reportedParts,
        contentEvents: 2,
      },
      whole: {
        answer: json(caching, completion({ content: 'Hi.' }, 'stop', inParts)),
        text: 'Hi.',
        usage: reportedParts,
      },
    },
    'tool call': {
      streamed: {
        answers: [
          sse(tools, [
            ...opening,
            calls(call),
            calls({ function: { arguments: '{"location":"S' } }),
            calls({ function: { arguments: 'ão Paulo"}' } }),
            ...ending('tool_calls'),
          ]),
          answered,
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
          json(reference, completion({ content: 'It is mild.' })),
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
    retry: { answer: unavailable, outcome: 'server_error', detail: 'The service is unavailable' },
    try: { answer: wrongKey, outcome: 'unauthorized', detail: 'Access denied due to invalid subscription key' },
    'check rules': { load: () => import('../broken/azure-openai.ts') },
  },
};
