import { json, sse, type GalleryRow } from '../row.ts';

const generate = 'https://ai.google.dev/api/generate-content';
const errors = 'https://ai.google.dev/gemini-api/docs/troubleshooting';
const limits = 'https://ai.google.dev/gemini-api/docs/rate-limits';
const thinking = 'https://ai.google.dev/gemini-api/docs/thinking';
const signatures = 'https://ai.google.dev/gemini-api/docs/thought-signatures';
const calling = 'https://ai.google.dev/gemini-api/docs/function-calling';
/** The client throws on an event with an `error`. */
const client = 'https://github.com/googleapis/js-genai/blob/main/src/_api_client.ts';

const model = 'gemini-3-flash-preview';
const usage = {
  promptTokenCount: 4,
  candidatesTokenCount: 9,
  totalTokenCount: 13,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 4 }],
};
const reported = { inputTokens: 4, outputTokens: 9 };
const inParts = {
  promptTokenCount: 2048,
  cachedContentTokenCount: 2000,
  candidatesTokenCount: 9,
  thoughtsTokenCount: 51,
  totalTokenCount: 2108,
};
const reportedParts = { inputTokens: 2048, outputTokens: 60, cachedInputTokens: 2000, reasoningTokens: 51 };

const response = (parts: object[] | undefined, finishReason?: string, usageMetadata: object = usage) => ({
  candidates: [
    {
      ...(parts !== undefined && { content: { parts, role: 'model' } }),
      ...(finishReason !== undefined && { finishReason }),
      index: 0,
    },
  ],
  usageMetadata,
  modelVersion: model,
  responseId: 'tTCwacuEBMvnitYP06q#N#',
});
/** The usage of an event that is not the last one. */
const begun = { promptTokenCount: 4, totalTokenCount: 4, promptTokensDetails: [{ modality: 'TEXT', tokenCount: 4 }] };
const said = [response([{ text: 'Grüß' }], undefined, begun), response([{ text: ' Gott 👋' }], undefined, begun)];
/** The last event has an empty text, with the signature of the thoughts. */
const ending = (counted: object = usage) =>
  response([{ text: '', thoughtSignature: 'AY89a18iOcFus5wr5bW5xN6zZ4a' }], 'STOP', counted);

const call = {
  functionCall: { name: 'get_weather', args: { location: 'São Paulo' } },
  thoughtSignature: 'CiQBcsjafA==',
};

const error = (code: number, status: string, message: string, details: object[] = []) => ({
  error: { code, message, status, ...(details.length > 0 && { details }) },
});
const keyInvalid = error(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
  { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
]);
const overloaded = error(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.');
const exhausted = error(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.', [
  {
    '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
    violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier', quotaValue: '10' }],
  },
  { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '33.4s' },
]);

const body = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
const headers = { 'x-goog-api-key': 'a-test-key', 'content-type': 'application/json' };

export const geminiRow: GalleryRow = {
  target: { agentId: model, apiKey: 'a-test-key' },
  request: {
    streamed: {
      path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
      headers: { ...headers, accept: 'text/event-stream' },
      body,
    },
    whole: {
      path: `/v1beta/models/${model}:generateContent`,
      headers: { ...headers, accept: 'application/json' },
      body,
    },
  },
  cells: {
    streamed: { answer: sse(generate, [...said, ending()]), text: 'Grüß Gott 👋', usage: reported, contentEvents: 2 },
    whole: {
      answer: json(generate, response([{ text: 'Grüß Gott 👋' }], 'STOP')),
      text: 'Grüß Gott 👋',
      usage: reported,
    },
    'error inside a 200': {
      streamed: {
        answer: sse(client, [...said, exhausted]),
        outcome: 'rate_limited',
        detail: 'You exceeded your current quota.',
      },
      // A blocked prompt is a response without candidates.
      whole: {
        answer: json(generate, {
          promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
          usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 },
          modelVersion: model,
        }),
        outcome: 'bad_request',
        detail: 'the prompt was blocked: PROHIBITED_CONTENT',
      },
    },
    'cut stream': sse(generate, said),
    refusal: [
      {
        // Errors of streams are in a list.
        answer: json(limits, [exhausted], { status: 429 }),
        outcome: 'rate_limited',
        detail: 'You exceeded your current quota.',
        retryAfter: 34,
      },
      {
        answer: json(errors, overloaded, { status: 503 }),
        outcome: 'server_error',
        detail: 'The model is overloaded.',
      },
      {
        answer: json(
          errors,
          error(404, 'NOT_FOUND', 'models/gemini-none is not found for API version v1beta, or is not supported.'),
          { status: 404 },
        ),
        outcome: 'agent_not_found',
        detail: 'models/gemini-none is not found',
      },
      { answer: json(errors, keyInvalid, { status: 400 }), outcome: 'unauthorized', detail: 'API key not valid.' },
    ],
    'usage in parts': {
      streamed: {
        answer: sse(thinking, [
          response([{ text: '**A greeting**', thought: true }], undefined, begun),
          ...said,
          ending(inParts),
        ]),
        text: 'Grüß Gott 👋',
        usage: reportedParts,
        contentEvents: 3,
        reasoned: true,
      },
      whole: {
        answer: json(thinking, response([{ text: '**A greeting**', thought: true }, { text: 'Hi.' }], 'STOP', inParts)),
        text: 'Hi.',
        usage: reportedParts,
      },
    },
    'tool call': {
      streamed: {
        answers: [
          sse(signatures, [response([call], undefined, begun), response([{ text: '' }], 'STOP')]),
          sse(generate, [...said, ending()]),
        ],
        tool: 'get_weather',
        arguments: { location: 'São Paulo' },
        returns: { celsius: 21 },
        // The call is sent back with its signature, and the result follows.
        sends: {
          contents: [
            { role: 'user', parts: [{ text: 'Hello' }] },
            { role: 'model', parts: [call] },
            { role: 'user', parts: [{ functionResponse: { name: 'get_weather', response: { celsius: 21 } } }] },
          ],
        },
      },
      whole: {
        answers: [
          json(calling, response([{ functionCall: { id: 'fc-1', name: 'get_weather', args: {} } }], 'STOP')),
          json(generate, response([{ text: 'It is mild.' }], 'STOP')),
        ],
        tool: 'get_weather',
        arguments: {},
        returns: 'mild',
        sends: { functionResponse: { id: 'fc-1', name: 'get_weather', response: { result: 'mild' } } },
      },
    },
    'user who leaves': {
      begins: sse(generate, said),
      text: 'Grüß Gott 👋',
      sends: { role: 'model', parts: [{ text: 'Grüß Gott 👋' }] },
    },
    retry: {
      answer: json(errors, overloaded, { status: 503 }),
      outcome: 'server_error',
      detail: 'The model is overloaded.',
    },
    try: { answer: json(errors, keyInvalid, { status: 400 }), outcome: 'unauthorized', detail: 'API key not valid.' },
    'check rules': { load: () => import('../broken/gemini.ts') },
  },
};
