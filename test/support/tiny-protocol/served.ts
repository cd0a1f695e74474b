import { admit, isRefused, readObject } from '../../../src/reference-service/exchange/admit.ts';
import type { ServedApi } from '../../../src/reference-service/exchange/served-api.ts';
import { failures } from '../../../src/reference-service/http/delivery.ts';
import { tinyRoute } from './tiny.ts';

export const servedApi: ServedApi = {
  endpoints: {
    message: {
      path: tinyRoute.path,
      meaning: 'Repeats a text',
      body: { agent: 'agent-support', text: 'Hello' },
      serve: ({ room, exchange, incoming }) => {
        const caller = admit(room, incoming, exchange.arrivedAt);
        if (isRefused(caller)) return exchange.give(caller);
        const { text } = readObject(incoming.body ?? '') ?? {};
        if (typeof text !== 'string') return exchange.give(failures.missingFields);
        return exchange.give({
          outcome: 'ok',
          status: 200,
          body: JSON.stringify({ said: text }),
          retryAfter: undefined,
        });
      },
    },
  },
  keyIn: ({ authorization }) => authorization,
  sessionIn: () => undefined,
};
