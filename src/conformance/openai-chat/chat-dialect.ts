import { isObject } from '../../base/is-object.ts';
import { judgeCompletion } from '../../protocol/openai-chat/judge-completion.ts';
import type { Dialect } from '../model-api/dialect.ts';
import { errorFault } from '../model-api/error-fault.ts';
import { memberOf } from '../model-api/stream-event.ts';
import { finishesOf, textIn } from './chunks.ts';

/** Chat completions. */
export const openaiChat: Dialect = {
  description: 'OpenAI API reference',
  sections: {
    request: 'Create chat completion',
    reply: 'The chat completion object',
    stream: 'The chat completion chunk object',
    errors: 'Error codes',
    conversation: 'Create chat completion, messages',
  },
  kind: { member: 'object', value: 'chat.completion' },
  created: 'created',
  judge: judgeCompletion,
  roleOf: (reply) => memberOf(reply, 'choices', 0, 'message', 'role'),
  finish: {
    member: 'finish_reason',
    known: ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'],
    cutOff: 'length',
    of: (reply) => memberOf(reply, 'choices', 0, 'finish_reason'),
  },
  usage: { input: 'prompt_tokens', output: 'completion_tokens', total: 'total_tokens' },
  required: ['model', 'messages'],
  limits: [{ max_tokens: 3 }, { max_completion_tokens: 3 }],
  errorFault,
  stream: {
    isTyped: false,
    textOf: textIn,
    finishOf: (events) => finishesOf(events).at(-1),
    // Some services put it beside the last choice instead of behind it.
    usageOf: (events) => events.findLast(({ fields }) => isObject(fields?.['usage']))?.fields?.['usage'],
    usageTeller: 'With stream_options.include_usage, a chunk',
  },
};
