import { breakingAt } from '../../model-api/breaking-at.ts';
import type { ServedApi } from '../../model-api/served-api.ts';
import { anthropicError } from './anthropic-error.ts';
import { readMessages } from './read-messages.ts';
import { wholeMessage } from './whole-message.ts';
import { MessageTelling } from './message-telling.ts';

/** Anthropic's messages. */
export const anthropicMessages: ServedApi = {
  name: 'anthropic-messages',
  path: '/v1/messages',
  read: readMessages,
  error: anthropicError,
  whole: wholeMessage,
  numbersEvents: false,
  tell: (reply) => new MessageTelling(reply),
  broken: breakingAt('content'),
};
