import { frames, json, type GalleryRow } from '../row.ts';
import { responseEvents } from './openai-responses.ts';

const mode = 'https://developers.openai.com/api/docs/guides/websocket-mode';
const errors = 'https://platform.openai.com/docs/guides/error-codes';

const { said, answered, answeredInParts, callsTool, failed, reported, reportedParts, callId } = responseEvents;

const noWhole = { notApplicable: 'events are the only form of a reply', source: mode };

/** An error frame. */
const error = (status: number, code: string, message: string, more: object = {}) =>
  frames(mode, [
    { type: 'error', status, error: { type: 'invalid_request_error', code, message, param: null }, ...more },
  ]);
/** A refusal of the upgrade. */
const refused = (status: number, code: string, message: string, headers: Record<string, string> = {}) =>
  json(errors, { error: { type: 'invalid_request_error', code, message, param: null } }, { status, headers });
const badKey = refused(401, 'invalid_api_key', 'Incorrect API key provided');

const message = (role: string, type: string, text: string) => ({ type: 'message', role, content: [{ type, text }] });
const hello = message('user', 'input_text', 'Hello');
const reply = 'Grüß Gott 👋';
const create = { type: 'response.create', model: 'gpt-5.2', store: false };

export const openaiResponsesWebsocketRow: GalleryRow = {
  target: { agentId: 'gpt-5.2', apiKey: 'a-test-key' },
  request: {
    streamed: {
      method: 'GET',
      path: '/v1/responses',
      headers: { authorization: 'Bearer a-test-key', upgrade: 'websocket' },
      body: [{ ...create, input: [hello] }],
    },
    whole: noWhole,
  },
  cells: {
    streamed: { answer: frames(mode, answered), text: reply, usage: reported, contentEvents: 2 },
    whole: noWhole,
    'error inside a 200': {
      streamed: {
        answer: frames(mode, failed),
        outcome: 'server_error',
        detail: 'The model failed to generate a response.',
      },
      whole: noWhole,
    },
    'cut stream': frames(mode, said),
    refusal: [
      {
        answer: refused(429, 'rate_limit_exceeded', 'Too many connections', { 'retry-after': '7' }),
        outcome: 'rate_limited',
        detail: 'Too many connections',
        retryAfter: 7,
      },
      { answer: badKey, outcome: 'unauthorized', detail: 'Incorrect API key provided' },
      {
        answer: error(429, 'rate_limit_exceeded', 'Rate limit reached for gpt-5.2', { headers: { 'retry-after': 5 } }),
        outcome: 'rate_limited',
        detail: 'Rate limit reached for gpt-5.2',
        retryAfter: 5,
      },
      {
        answer: error(400, 'invalid_value', 'Invalid input'),
        outcome: 'bad_request',
        detail: 'Invalid input',
      },
      {
        answer: error(
          400,
          'websocket_connection_limit_reached',
          'Responses websocket connection limit reached (60 minutes). Create a new websocket connection to continue.',
        ),
        outcome: 'connection_lost',
        detail: 'websocket_connection_limit_reached',
      },
    ],
    'usage in parts': {
      streamed: { answer: frames(mode, answeredInParts), text: reply, usage: reportedParts, contentEvents: 2 },
      whole: noWhole,
    },
    'tool call': {
      streamed: {
        answers: [frames(mode, callsTool), frames(mode, answered)],
        tool: 'get_weather',
        arguments: { location: 'São Paulo' },
        returns: { celsius: 21 },
        sends: { type: 'function_call_output', call_id: callId, output: '{"celsius":21}' },
      },
      whole: noWhole,
    },
    'user who leaves': {
      begins: frames(mode, said),
      text: reply,
      // No frame cancels a response: its socket is closed, and the conversation is sent again over the next one.
      sends: {
        ...create,
        input: [hello, message('assistant', 'output_text', reply), message('user', 'input_text', 'Bye')],
      },
    },
    retry: {
      answer: error(500, 'server_error', 'The server had an error'),
      outcome: 'server_error',
      detail: 'The server had an error',
    },
    try: { answer: badKey, outcome: 'unauthorized', detail: 'Incorrect API key provided' },
    'check rules': { load: () => import('../broken/openai-responses-websocket.ts') },
  },
};
