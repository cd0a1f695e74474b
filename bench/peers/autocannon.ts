import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { composeBody, messagesUrl, isAnswered, type PeerLoad } from './message.ts';

/** autocannon through its library: one constant body, or a fresh one and a parsed reply for every turn. */
const { values } = parseArgs({ options: { load: { type: 'string' }, fresh: { type: 'boolean', default: false } } });
const load = JSON.parse(values.load ?? '') as PeerLoad;

let turn = 0;
let broken = 0;
const result = await autocannon({
  url: messagesUrl(load),
  connections: load.connections,
  duration: load.seconds,
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: 'Bearer bench-key' },
  body: composeBody(0),
  ...(values.fresh
    ? {
        requests: [
          {
            setupRequest: (request: autocannon.Request) => {
              request.body = composeBody(++turn);
              return request;
            },
            onResponse: (_: number, body: string) => {
              if (!isAnswered(body)) broken++;
            },
          },
        ],
      }
    : {}),
});
if (broken > 0 || result.errors > 0 || result.non2xx > 0) throw new Error('autocannon met errors');
