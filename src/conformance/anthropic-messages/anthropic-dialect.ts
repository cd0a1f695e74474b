import { judgeMessage } from '../../protocol/anthropic-messages/judge-message.ts';
import { show } from '../answer.ts';
import type { Dialect } from '../model-api/dialect.ts';
import { errorFault } from '../model-api/error-fault.ts';
import { memberOf } from '../model-api/stream-event.ts';
import { outcomesOf, textIn, usageIn } from './message-events.ts';

/** Anthropic's messages. */
export const anthropicMessages: Dialect = {
  description: 'Claude API reference',
  sections: {
    request: 'Create a message',
    reply: 'Create a message, response',
    stream: 'Streaming messages',
    errors: 'Errors',
    conversation: 'Create a message, messages',
  },
  kind: { member: 'type', value: 'message' },
  created: undefined,
  judge: judgeMessage,
  roleOf: (reply) => reply['role'],
  finish: {
    member: 'stop_reason',
    known: [
      'end_turn',
      'max_tokens',
      'stop_sequence',
      'tool_use',
      'pause_turn',
      'refusal',
      'model_context_window_exceeded',
    ],
    cutOff: 'max_tokens',
    of: (reply) => reply['stop_reason'],
  },
  usage: { input: 'input_tokens', output: 'output_tokens', total: undefined },
  required: ['model', 'messages', 'max_tokens'],
  limits: [{ max_tokens: 3 }],
  errorFault: (body) => (body['type'] === 'error' ? errorFault(body) : `type: ${show(body['type'])}`),
  stream: {
    isTyped: true,
    textOf: textIn,
    finishOf: (events) => memberOf(outcomesOf(events).at(-1), 'delta', 'stop_reason'),
    usageOf: usageIn,
    usageTeller: 'message_start and message_delta',
  },
};
