import { constants, type ClientHttp2Stream } from 'node:http2';
import { cancelled } from './stream-codes.ts';

/**
 * Calls `ended` as soon as END_STREAM of a stream is received. Node.js has no event for it: `end` also follows a reset
 * with NO_ERROR, and a complete stream may be closed before its `end`. In both cases Node.js ends the readable side by
 * pushing `null`, but marks the stream as closed before that only if it was reset or destroyed.
 */
export function onEndOfStream(stream: ClientHttp2Stream, ended: () => void): void {
  const push = stream.push.bind(stream);
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk === null && !stream.closed) ended();
    return push(chunk, encoding);
  };
}

/** Takes the part of the body that a stream holds and has not emitted, and that it would not emit once it is closed. */
export function takeHeld(stream: ClientHttp2Stream, take: (bytes: Buffer) => void): void {
  stream.removeAllListeners('data');
  for (;;) {
    const bytes = stream.read() as Buffer | null;
    if (bytes === null) return;
    take(bytes);
  }
}

/** Ends a stream. A response may be complete before the request was written to its end: the rest of it is not sent. */
export function closeStream(stream: ClientHttp2Stream, isWhole: boolean): void {
  if (isWhole && stream.writableFinished) stream.resume();
  else stream.close(cancelled);
}

/** Whether a session that is open still has not written the head of a stream. */
export function isIdle({ closed, destroyed, state }: ClientHttp2Stream): boolean {
  return !closed && !destroyed && state.state === constants.NGHTTP2_STREAM_STATE_IDLE;
}
