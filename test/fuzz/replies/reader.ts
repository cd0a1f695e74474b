import { createRequire } from 'node:module';
import type { Writable } from 'node:stream';
import { instant, ms } from '../../../src/base/time.ts';
import { ReadPace } from '../../../src/edge/http/exchange/read-pace.ts';
import { blankExchange } from '../../../src/edge/http/response/exchange-reading.ts';
import { FastResponse } from '../../../src/edge/http/response/fast-response.ts';
import { ResponseReading, type BufferedReadingSettings } from '../../../src/edge/http/response/response-reading.ts';
import { describeError } from '../../../src/edge/http/websocket/describe-end.ts';
import { SocketAttempt } from '../../../src/edge/http/websocket/socket-attempt.ts';
import type { Conversation, Received, Route, SocketExchange, Verdict } from '../../../src/protocol/protocol.ts';
import type { Exchange } from '../../../src/session/send.ts';
import { saying } from '../../support/stream-events.ts';

const limits = { maxHeadBytes: 64 * 1024, maxBodyBytes: 16 * 1024 * 1024 };
const settings: BufferedReadingSettings = {
  limits,
  maxEventBytes: 1024 * 1024,
  redact: (text) => text,
  cookies: false,
  pace: new ReadPace(),
  idleConnectionMs: ms(1000),
  readBuffer: Buffer.alloc(64 * 1024),
  fastResponse: new FastResponse(limits),
};

/** Reads a response over HTTP as a connection does, one read per block. After the last one, the server closes the connection. */
export function readBlocks(route: Route, blocks: readonly Buffer[]): Exchange {
  const reading = new ResponseReading(settings);
  reading.begin(blankExchange(instant(0), false), route);
  const isOver = blocks.some((block, index) => readBlock(reading, block, index)) || reading.end();
  const { exchange, failure, detail } = reading;
  if (failure !== undefined || !isOver) {
    reading.keepPart();
    exchange.failure = failure ?? 'connection_lost';
    exchange.detail = detail;
  }
  return reading.release();
}

/** Returns true if the response is over. All blocks are in one buffer, in which the bytes of earlier reads remain. */
function readBlock(reading: ResponseReading, block: Buffer, index: number): boolean {
  const { readBuffer } = settings;
  for (let at = 0; at < block.length; at += readBuffer.length) {
    const count = block.copy(readBuffer, 0, at);
    if (reading.take(count, instant(index))) return true;
  }
  return false;
}

interface FrameParser {
  Receiver: new (options: { isServer: boolean }) => Writable;
}
/** The parser of frames that sockets use; its types are not published. */
const { Receiver } = createRequire(import.meta.url)('ws') as FrameParser;

/** Reads the frames of a turn as a socket does; it is then closed with this code. */
export function readFrames(
  socket: SocketExchange,
  route: Route,
  { blocks, closeCode = 1000 }: { blocks: readonly Buffer[]; closeCode?: number },
): Exchange {
  const attempt = new SocketAttempt(
    { request: { route, body: '', socket }, sentAt: instant(0), resolve: () => undefined },
    true,
  );
  const { exchange } = attempt;
  exchange.status = 101;
  if (attempt.begin(undefined, instant(0)) === undefined) attempt.greet(instant(0));
  const receiver = new Receiver({ isServer: false });
  receiver.on('message', (data: Buffer) => attempt.reader?.isOver === true || attempt.take(data, instant(1)));
  for (const [index, block] of blocks.entries()) {
    attempt.beginRead(instant(index));
    // Called directly: a stream reports errors later.
    receiver._write(Buffer.from(block), 'binary', (error) => {
      if (error) exchange.failure = describeError(error).failure;
    });
    if (exchange.failure !== undefined) break;
  }
  if (exchange.failure === undefined && attempt.reader?.isOver !== true) exchange.closeCode = closeCode;
  attempt.end(instant(blocks.length));
  return exchange;
}

/** Judges an exchange, and continues the conversation with its reply. Returns all that a run keeps of it, as text. */
export function answerOf(conversation: Conversation, exchange: Received): { verdict: Verdict; text: string } {
  const verdict = conversation.read(exchange);
  const { outcome, detail, reply, spent, retryAfter } = verdict;
  const poll = conversation.poll?.(exchange);
  if (reply === undefined) conversation.left?.(exchange.stream?.text ?? '');
  else {
    conversation.replied?.(reply);
    const results = reply.toolCalls?.map(({ id, name }) => ({ id, name, content: '{}' }));
    if (results !== undefined) conversation.request(saying('', { toolResults: results }));
  }
  conversation.request(saying('Bye'));
  // Read values may be nested too deeply to be serialized.
  const kept = { ...reply, data: undefined };
  const partial = exchange.stream?.text;
  const all = { outcome, detail, kept, spent, retryAfter, polled: poll?.request.route.path, partial };
  return { verdict, text: JSON.stringify(all) };
}
