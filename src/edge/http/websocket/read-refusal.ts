import type { IncomingMessage } from 'node:http';
import { GrowingBytes } from '../../../base/growing-bytes.ts';
import type { Exchange } from '../../../session/send.ts';

type Refusal = Pick<Exchange, 'failure' | 'detail' | 'body' | 'isUtf8'>;

/** Reads the body of a response to an upgrade. Calls back once, with a complete body or with the failure. */
export function readRefusal(response: IncomingMessage, maxBytes: number, done: (refusal: Refusal) => void): void {
  const bytes = new GrowingBytes();
  let isOver = false;
  const end = (failure: Refusal['failure'], detail: string): void => {
    if (isOver) return;
    isOver = true;
    done({ failure, detail, body: failure === undefined ? bytes.text() : '', isUtf8: bytes.isUtf8() });
  };
  response.on('data', (read: Buffer) => {
    if (bytes.length + read.length > maxBytes) end('malformed', `the body is larger than ${String(maxBytes)} bytes`);
    else bytes.append(read, 0, read.length);
  });
  response.on('end', () => end(undefined, ''));
  response.on('close', () => end('connection_lost', 'the connection was closed in the body'));
  response.on('error', ({ message }) => end('connection_lost', `the connection broke in the body: ${message}`));
}
