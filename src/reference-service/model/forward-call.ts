import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { CallOutcome } from '../../protocol/model-call.ts';
import { writeDelivery } from '../http/write-delivery.ts';
import { refusal, type Problem } from '../model-api/model-api.ts';
import type { ModelContext } from './model-context.ts';
import { callApis } from './read-call.ts';
import { withoutKeys } from './call-headers.ts';
import { readReceived, type ReceivedCall } from './received-call.ts';
import { ReplyReader } from './reply-reader.ts';
import { passedOn, type ForwardName, type Upstreams } from './upstreams.ts';

/** Forwards one call byte by byte, and measures it. */
export function forwardCall(context: ModelContext, received: ReceivedCall, upstreams: Upstreams): void {
  const { call, bytes } = received;
  call.start(readReceived(context, received).facts);
  const refuse = (outcome: CallOutcome, problem: Problem): void =>
    call.send(refusal(callApis[call.api].api, problem), { outcome });
  if (bytes === undefined) return refuse('rejected', { status: 413, message: 'Request body is too large.' });
  const name: ForwardName = call.api === 'messages' ? 'anthropic' : 'openai';
  const upstream = upstreams.open(name, call.response.req);
  if (upstream === undefined) return refuse('rejected', notForwarded(name));
  // Only if the agent gave up: a connection that has served its request is used again.
  call.response.once('close', () => {
    if (!call.response.writableFinished) upstream.destroy();
  });
  whenAnswered(upstream, {
    passable: (reply) => call.guard(() => relay(context, received, reply)),
    invalid: () => call.guard(() => refuse('upstream_failed', invalidReply)),
  });
  upstream.on('error', (failed) =>
    call.guard(() => {
      if (call.response.headersSent) breakOff(received);
      else refuse('upstream_failed', unreachable(failed));
    }),
  );
  upstream.end(bytes);
}

/** Forwards a request that is not a model call. */
export function forwardOther(
  { connections }: ModelContext,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  upstreams: Upstreams,
): void {
  const name: ForwardName = request.headers['anthropic-version'] === undefined ? 'openai' : 'anthropic';
  const upstream = upstreams.open(name, request);
  const refuse = (problem: Problem): void => {
    request.resume();
    if (response.headersSent) return void response.destroy();
    const { api } = callApis[name === 'anthropic' ? 'messages' : 'chat'];
    writeDelivery(refusal(api, problem), response, connections);
  };
  if (upstream === undefined) return refuse(notForwarded(name));
  response.once('close', () => {
    if (!response.writableFinished) upstream.destroy();
  });
  upstream.on('error', (failed) => refuse(unreachable(failed)));
  whenAnswered(upstream, {
    passable: (reply) => {
      writeHead(response, reply);
      reply.on('error', () => response.destroy()).pipe(response);
    },
    invalid: () => refuse(invalidReply),
  });
  request.pipe(upstream);
}

/** Calls a function with the reply of the service, or another one for a reply that HTTP does not allow to pass on. */
function whenAnswered(
  upstream: ClientRequest,
  { passable, invalid }: { passable: (reply: IncomingMessage) => void; invalid: () => void },
): void {
  upstream.on('response', (reply) => {
    if ((reply.statusCode ?? 0) >= 200) return passable(reply);
    reply.resume();
    invalid();
  });
  upstream.on('upgrade', (_reply, socket: Duplex) => {
    socket.destroy();
    invalid();
  });
}

function writeHead(response: ServerResponse, { statusCode = 502, statusMessage = '', rawHeaders }: IncomingMessage) {
  response.writeHead(statusCode, statusMessage.replace(/[^\t\x20-\x7e\x80-\xff]/g, ''), passedOn(rawHeaders));
}

const invalidReply: Problem = {
  status: 502,
  message: 'The service that calls are forwarded to sent an invalid reply.',
};

const notForwarded = (name: ForwardName): Problem => ({
  status: 404,
  message: `Requests to this API are not forwarded. Set model.forward.${name} to the base URL of its service.`,
});

/** Only the code of the error: its text may name hosts and keys. */
function unreachable(failed: Error): Problem {
  const code = 'code' in failed && typeof failed.code === 'string' ? failed.code : 'connection lost';
  return { status: 502, message: `Cannot reach the service that calls are forwarded to: ${code}.` };
}

/** Ends a reply whose upstream connection was lost. */
function breakOff({ call }: ReceivedCall): void {
  call.end('upstream_failed', { status: call.response.statusCode });
  call.response.destroy();
}

function relay(context: ModelContext, received: ReceivedCall, reply: IncomingMessage): void {
  const { call } = received;
  const { response } = call;
  const { statusCode: status = 502, headers } = reply;
  const reader = new ReplyReader(call.api, headers['content-type'] ?? '');
  call.usage = () => reader.usage;
  writeHead(response, reply);
  response.flushHeaders();
  let left = Number(headers['content-length'] ?? NaN);
  const end = (): void => {
    reader.end();
    call.model = reader.model === undefined ? call.model : withoutKeys(reader.model, response.req.headers);
    call.end(outcomeOf(status), { status });
  };
  reply.on('data', (chunk: Buffer) => {
    const isFirst = reader.read(chunk);
    if (isFirst) call.content(context.clock.now());
    left -= chunk.length;
    // The end is reported before the last byte is written, if it is known to be the last.
    if (left === 0) end();
    if (response.write(chunk)) return;
    reply.pause();
    response.once('drain', () => reply.resume());
  });
  reply.on('error', () => breakOff(received));
  reply.on('end', () => {
    if (!reply.complete) return breakOff(received);
    end();
    response.end();
  });
}

function outcomeOf(status: number): CallOutcome {
  if (status === 429) return 'rate_limited';
  if (status >= 500 || (status >= 300 && status < 400)) return 'upstream_failed';
  return status >= 400 ? 'rejected' : 'ok';
}
