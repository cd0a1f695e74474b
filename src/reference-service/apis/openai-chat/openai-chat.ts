import { keyIn } from '../../http/receive-body.ts';
import type { ServedApi } from '../../exchange/served-api.ts';
import { breakingAt, worded, type ModelApi } from '../../model-api/model-api.ts';
import { serveApi } from '../../model-api/serve-api.ts';
import { openaiError } from './openai-error.ts';
import { readCompletion } from './read-completion.ts';
import { ChatTelling, wholeCompletion } from './write-completion.ts';

const api: ModelApi = {
  idPrefix: 'chatcmpl-',
  hasDone: true,
  read: readCompletion,
  error: openaiError,
  whole: wholeCompletion,
  numbersEvents: false,
  tell: (reply) => new ChatTelling(reply),
  broken: breakingAt('choices'),
};

/** OpenAI's chat completions. */
export const servedApi: ServedApi = {
  endpoints: {
    message: {
      path: '/v1/chat/completions',
      meaning:
        "OpenAI's chat completions, whole or streamed; `model` is the agent, and the request holds the whole conversation",
      body: { model: 'agent-support', messages: [{ role: 'user', content: 'Where is my order?' }], stream: false },
      serve: (asked) => serveApi(asked, api),
    },
  },
  keyIn,
  sessionIn: () => undefined,
  models: {
    isFor: () => true,
    list: (ids, createdMs) => ({
      object: 'list',
      data: ids.map((id) => ({ id, object: 'model', created: Math.floor(createdMs / 1000), owned_by: 'chat-load' })),
    }),
    refuse: (refusal) => worded(api, refusal),
  },
};
