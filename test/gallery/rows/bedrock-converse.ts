import { eventFrame } from '../../support/event-frame.ts';
import { json, type GalleryRow, type Raw } from '../row.ts';

const converse = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html';
const converseStream = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html';
const errors = 'https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html';
const caching = 'https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html';
const tools = 'https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html';

const model = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
const usage = { inputTokens: 125, outputTokens: 60, totalTokens: 185 };
const reported = { inputTokens: 125, outputTokens: 60 };
const inParts = {
  inputTokens: 10,
  outputTokens: 60,
  totalTokens: 2118,
  cacheReadInputTokens: 1800,
  cacheWriteInputTokens: 248,
  cacheDetails: [
    { ttl: '1h', inputTokens: 100 },
    { ttl: '5m', inputTokens: 148 },
  ],
};
const reportedParts = {
  inputTokens: 2058,
  outputTokens: 60,
  cachedInputTokens: 1800,
  cacheWriteTokens: 248,
  cacheWrite1hTokens: 100,
};

const reply = (content: object[], stopReason = 'end_turn', counted: object = usage) => ({
  metrics: { latencyMs: 1275 },
  output: { message: { content, role: 'assistant' } },
  stopReason,
  usage: counted,
});

type Frame = readonly [type: string, fields: object];
/** Returns frames; each has padding, so that its size does not show its text. */
const frames = (...events: readonly Frame[]): Uint8Array[] =>
  events.map(([type, fields]) => eventFrame(type, JSON.stringify({ ...fields, p: 'abcdefghijkl' })));
const stream = (source: string, ...parts: readonly Uint8Array[]): Raw => ({
  source,
  status: 200,
  headers: { 'content-type': 'application/vnd.amazon.eventstream', 'x-amzn-requestid': '9a9f5f5d-32b1-4b1b' },
  body: Buffer.concat(parts),
});
const delta = (fields: object, contentBlockIndex = 0): Frame => [
  'contentBlockDelta',
  { contentBlockIndex, delta: fields },
];
const stop = (contentBlockIndex = 0): Frame => ['contentBlockStop', { contentBlockIndex }];
const start: Frame = ['messageStart', { role: 'assistant' }];
const said = [start, delta({ text: 'Grüß' }), delta({ text: ' Gott 👋' })];
const ending = (stopReason: string, counted: object = usage): Frame[] => [
  ['messageStop', { stopReason }],
  ['metadata', { metrics: { latencyMs: 1275 }, usage: counted }],
];
const answered = stream(converseStream, ...frames(...said, stop(), ...ending('end_turn')));

const call = { toolUseId: 'tooluse_hbTgdi0CSLq_hM4P8csZJA', name: 'get_weather' };
const result = (text: string) => ({
  toolResult: { toolUseId: call.toolUseId, content: [{ text }], status: 'success' },
});

const refused = (status: number, type: string, message: string) =>
  json(
    errors,
    { message },
    { status, headers: { 'x-amzn-errortype': type, 'x-amzn-requestid': '9a9f5f5d-32b1-4b1b' } },
  );
const unavailable = refused(503, 'ServiceUnavailableException', 'Bedrock is unable to process your request.');
const denied = refused(403, 'AccessDeniedException', 'Authentication failed: Please make sure your API Key is valid.');

const body = { messages: [{ role: 'user', content: [{ text: 'Hello' }] }] };
const headers = { authorization: 'Bearer a-test-key', 'content-type': 'application/json' };
const path = `/model/${encodeURIComponent(model)}/converse`;

export const bedrockConverseRow: GalleryRow = {
  target: { agentId: model, apiKey: 'a-test-key' },
  request: {
    streamed: {
      path: `${path}-stream`,
      headers: { ...headers, accept: 'application/vnd.amazon.eventstream' },
      body,
    },
    whole: { path, headers: { ...headers, accept: 'application/json' }, body },
  },
  cells: {
    streamed: { answer: answered, text: 'Grüß Gott 👋', usage: reported, contentEvents: 2 },
    whole: { answer: json(converse, reply([{ text: 'Grüß Gott 👋' }])), text: 'Grüß Gott 👋', usage: reported },
    'error inside a 200': {
      streamed: {
        answer: stream(
          converseStream,
          ...frames(...said),
          eventFrame('throttlingException', '{"message":"Too many requests, please wait."}', 'exception'),
        ),
        outcome: 'rate_limited',
        detail: 'throttlingException in a successful response: Too many requests, please wait.',
      },
      whole: { notApplicable: 'errors of replies that are not streamed have an error status', source: converse },
    },
    'cut stream': stream(converseStream, ...frames(...said)),
    refusal: [
      {
        answer: refused(429, 'ThrottlingException', 'Too many tokens, please wait before trying again.'),
        outcome: 'rate_limited',
        detail: 'Too many tokens, please wait before trying again.',
      },
      {
        answer: refused(400, 'ValidationException', 'The provided model identifier is invalid.'),
        outcome: 'bad_request',
        detail: 'The provided model identifier is invalid.',
      },
      { answer: denied, outcome: 'forbidden', detail: 'Authentication failed' },
      { answer: unavailable, outcome: 'server_error', detail: 'Bedrock is unable to process your request.' },
    ],
    'usage in parts': {
      streamed: {
        answer: stream(
          caching,
          ...frames(
            start,
            delta({ reasoningContent: { text: 'A greeting.' } }),
            delta({ reasoningContent: { signature: 'EqQBCgIYAhIM' } }),
            stop(),
            delta({ text: 'Hi.' }, 1),
            stop(1),
            ...ending('end_turn', inParts),
          ),
        ),
        text: 'Hi.',
        usage: reportedParts,
        contentEvents: 2,
        reasoned: true,
      },
      whole: {
        answer: json(caching, reply([{ text: 'Hi.' }], 'end_turn', inParts)),
        text: 'Hi.',
        usage: reportedParts,
      },
    },
    'tool call': {
      streamed: {
        answers: [
          stream(
            converseStream,
            ...frames(
              start,
              ['contentBlockStart', { contentBlockIndex: 0, start: { toolUse: call } }],
              delta({ toolUse: { input: '' } }),
              delta({ toolUse: { input: '{"location": "S' } }),
              delta({ toolUse: { input: 'ão Paulo"}' } }),
              stop(),
              ...ending('tool_use'),
            ),
          ),
          answered,
        ],
        tool: 'get_weather',
        arguments: { location: 'São Paulo' },
        returns: { celsius: 21 },
        sends: result('{"celsius":21}'),
      },
      whole: {
        answers: [
          json(tools, reply([{ toolUse: { ...call, input: { location: 'Paris' } } }], 'tool_use')),
          json(converse, reply([{ text: 'It is mild.' }])),
        ],
        tool: 'get_weather',
        arguments: { location: 'Paris' },
        returns: 'mild',
        sends: result('mild'),
      },
    },
    'user who leaves': {
      begins: stream(converseStream, ...frames(...said)),
      text: 'Grüß Gott 👋',
      sends: { role: 'assistant', content: [{ text: 'Grüß Gott 👋' }] },
    },
    retry: { answer: unavailable, outcome: 'server_error', detail: 'Bedrock is unable' },
    try: { answer: denied, outcome: 'forbidden', detail: 'Authentication failed' },
    'check rules': { load: () => import('../broken/bedrock-converse.ts') },
  },
};
