import { breakingAt } from '../../model-api/breaking-at.ts';
import type { ServedApi } from '../../model-api/served-api.ts';
import { openaiError } from './openai-error.ts';
import { readCompletion } from './read-completion.ts';
import { wholeCompletion } from './whole-completion.ts';
import { ChatTelling } from './chat-telling.ts';

/** OpenAI's chat completions. */
export const openaiChat: ServedApi = {
  name: 'openai-chat',
  path: '/v1/chat/completions',
  read: readCompletion,
  error: openaiError,
  whole: wholeCompletion,
  numbersEvents: false,
  tell: (reply) => new ChatTelling(reply),
  broken: breakingAt('choices'),
};
