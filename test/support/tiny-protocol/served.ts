import { admit, isRefused } from '../../../src/reference-service/exchange/admit.ts';
import type { ServedApi } from '../../../src/reference-service/exchange/served-api.ts';
import { failures, success } from '../../../src/reference-service/http/delivery.ts';
import { tinyRoute } from './tiny.ts';

export const servedApi: ServedApi = {
  endpoints: {
    message: {
      path: tinyRoute.path,
      meaning: 'Repeats a text',
      body: { agent: 'agent-support', text: 'Hello' },
      serve: (exchange, incoming) => {
        const admitted = admit(exchange, incoming);
        if (isRefused(admitted)) return exchange.send(admitted);
        const { text } = admitted.body;
        if (typeof text !== 'string') return exchange.send(failures.missingFields);
        return exchange.send(success(200, JSON.stringify({ said: text })));
      },
    },
  },
  keyIn: ({ authorization }) => authorization,
};
