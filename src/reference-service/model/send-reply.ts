import type { Instant } from '../../base/time.ts';
import type { CallOutcome } from '../../protocol/model-call.ts';
import type { ModelContext } from './model-context.ts';
import type { OpenCall } from './open-call.ts';

/** A reply that is not streamed. */
interface WholeReply {
  outcome: CallOutcome;
  status: number;
  body: string;
  /** Names and values in turn. */
  headers?: readonly string[];
  due?: Instant;
  word?: string | undefined;
  /** True if the connection ends half-way through the body. */
  isCut?: boolean;
}

/** Sends a reply as soon as the service is not frozen, and ends its call before the last byte. */
export function sendReply(context: ModelContext, call: OpenCall, reply: WholeReply): void {
  if (call.isOver) return;
  const until = context.frozenUntil();
  if (until !== undefined) {
    call.inject('stall');
    return call.wait(until, () => sendReply(context, call, { ...reply, due: until }));
  }
  const { response } = call;
  const { status, due } = reply;
  const body = status === 204 || status === 304 ? '' : reply.body;
  const length = Buffer.byteLength(body);
  if (due !== undefined) call.wrote(context.clock.now(), due);
  response.writeHead(status, [
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(length),
    ...(reply.headers ?? []),
  ]);
  call.end(reply.outcome, { status, word: reply.word });
  if (reply.isCut === true) {
    const half = Buffer.from(body).subarray(0, length >> 1);
    // `destroySoon` sends buffered data before the connection closes.
    response.write(half, () => response.req.socket.destroySoon());
    // As many bytes as characters means ASCII only, which Latin-1 encodes to the same bytes faster.
  } else response.end(body, length === body.length ? 'latin1' : 'utf8');
}
