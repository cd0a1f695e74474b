import { judgeResponse } from '../../protocol/openai-responses/judge-response.ts';
import type { Dialect } from '../model-api/dialect.ts';
import { errorFault } from '../model-api/error-fault.ts';
import { memberOf } from '../model-api/stream-event.ts';
import { endOf, textIn } from './response-events.ts';

/** OpenAI's responses. */
export const openaiResponses: Dialect = {
  description: 'OpenAI API reference',
  sections: {
    request: 'Create a model response',
    reply: 'The response object',
    stream: 'Streaming events',
    errors: 'Error codes',
    conversation: 'Create a model response, previous_response_id',
  },
  kind: { member: 'object', value: 'response' },
  created: 'created_at',
  judge: (reply) => judgeResponse({ ...reply, id: 'any', status: 'completed' }),
  roleOf: (reply) => {
    const { output } = reply;
    const items: readonly unknown[] = Array.isArray(output) ? output : [];
    const message = items.find((item) => memberOf(item, 'type') === 'message');
    return memberOf(message, 'role');
  },
  finish: {
    member: 'status',
    known: ['completed', 'incomplete'],
    cutOff: 'incomplete',
    of: (reply) => reply['status'],
  },
  usage: { input: 'input_tokens', output: 'output_tokens', total: 'total_tokens' },
  required: ['model', 'input'],
  // The least that the API takes.
  limits: [{ max_output_tokens: 16 }],
  errorFault,
  stream: {
    isTyped: true,
    textOf: textIn,
    finishOf: (events) => memberOf(endOf(events), 'response', 'status'),
    usageOf: (events) => memberOf(endOf(events), 'response', 'usage'),
    usageTeller: 'The response at the end of a stream',
  },
};
