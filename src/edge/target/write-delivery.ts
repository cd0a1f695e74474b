import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connections } from './connections.ts';
import type { Delivery } from './delivery.ts';

type Response = ServerResponse<IncomingMessage>;

/** Does to the connection what the delivery says. Returns whether a whole response was written. */
export function writeDelivery(delivery: Delivery, response: Response, connections: Connections): boolean {
  const { socket } = response.req;
  switch (delivery.outcome) {
    case 'reset':
      connections.reset(socket);
      return false;
    case 'closed':
      socket.destroySoon();
      return false;
    case 'cut':
      writeHead(delivery, response);
      // The first half, and then no more: `destroySoon` lets what was written go out before the connection closes.
      response.write(Buffer.from(delivery.body).subarray(0, delivery.body.length >> 1), () => socket.destroySoon());
      return false;
    default:
      writeHead(delivery, response);
      response.end(delivery.body);
      return true;
  }
}

function writeHead({ status, body, retryAfter }: Delivery, response: Response): void {
  const head: (string | number)[] = ['content-type', 'application/json; charset=utf-8'];
  head.push('content-length', hasNoBody(status) ? 0 : Buffer.byteLength(body));
  if (retryAfter !== undefined) head.push('retry-after', retryAfter);
  if (status >= 300 && status < 400) head.push('location', '/elsewhere');
  response.writeHead(status, head as string[]);
}

const hasNoBody = (status: number): boolean => status === 204 || status === 304;
