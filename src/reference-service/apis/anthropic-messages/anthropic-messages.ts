import { keyIn } from '../../http/receive-body.ts';
import type { ServedApi } from '../../exchange/served-api.ts';
import { breakingAt, worded, type ModelApi } from '../../model-api/model-api.ts';
import { serveApi } from '../../model-api/serve-api.ts';
import { readMessages } from './read-messages.ts';
import { MessageTelling, anthropicError, wholeMessage } from './write-message.ts';

const api: ModelApi = {
  idPrefix: 'msg_',
  hasDone: false,
  read: readMessages,
  error: anthropicError,
  whole: wholeMessage,
  numbersEvents: false,
  tell: (reply) => new MessageTelling(reply),
  broken: breakingAt('content'),
};

/** Anthropic's messages. */
export const servedApi: ServedApi = {
  endpoints: {
    message: {
      path: '/v1/messages',
      meaning: "Anthropic's messages, whole or streamed; the key may come as `x-api-key`",
      body: {
        model: 'agent-support',
        max_tokens: 300,
        messages: [{ role: 'user', content: 'Where is my order?' }],
        stream: false,
      },
      serve: (asked) => serveApi(asked, api),
    },
  },
  keyIn,
  sessionIn: () => undefined,
  models: {
    isFor: (headers) => headers['anthropic-version'] !== undefined,
    list: (ids, createdMs) => ({
      data: ids.map((id) => ({ type: 'model', id, display_name: id, created_at: new Date(createdMs).toISOString() })),
      has_more: false,
      first_id: ids[0] ?? null,
      last_id: ids.at(-1) ?? null,
    }),
    refuse: (refusal) => worded(api, refusal),
  },
};
