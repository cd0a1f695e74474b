import { breakingAt } from '../../model-api/breaking-at.ts';
import type { ServedApi } from '../../model-api/served-api.ts';
import { openaiError } from '../openai-chat/openai-error.ts';
import { readResponseRequest } from './read-response-request.ts';
import { wholeResponse } from './whole-response.ts';
import { ResponsesTelling } from './responses-telling.ts';

/** OpenAI's responses. */
export const openaiResponses: ServedApi = {
  name: 'openai-responses',
  path: '/v1/responses',
  read: readResponseRequest,
  error: openaiError,
  whole: (reply) => JSON.stringify(wholeResponse(reply)),
  numbersEvents: true,
  tell: (reply) => new ResponsesTelling(reply),
  broken: breakingAt('output'),
};
